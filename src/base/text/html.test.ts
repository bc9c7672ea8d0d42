import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html } from './html.ts';

describe('html', () => {
  it('escapes values between tags and in attributes', () => {
    const evil = `<img src=x onerror="alert('1')">&\``;
    assert.equal(
      String(html`<p title="${evil}">${evil}</p>`),
      '<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;&#96;">' +
        '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;&#96;</p>',
    );
  });

  it('takes markup of its own as it is, lists in order, and shows nothing for undefined and false', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    assert.equal(
      String(html`<ul>${items}${undefined}${false}${0}</ul>`),
      '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>',
    );
  });

  it('takes no object that looks like markup', () => {
    const forged = { toString: () => '<script>' } as unknown as string;
    assert.throws(() => html`${forged}`);
  });

  it('shows controls and marks that turn the direction of reading as a sign', () => {
    assert.equal(
      String(html`${'a\u202eb\u0000c\u001b[1m\ud800\td\n'}`),
      'a\ufffdb\ufffdc\ufffd[1m\ufffd\td\n',
    );
  });

  it('throws for a value of an attribute without quotes, and not for a value that ends like one', () => {
    assert.throws(() => html`<p title=${'a'}>`, /needs quotes/);
    assert.equal(String(html`<p>${'a='}${'b'}</p>`), '<p>a=b</p>');
  });
});
