/**
 * Which mount options of a persistent volume are passed on to mount(8). They
 * are the cluster's words; those that would make mount(8) do something else
 * than mount this volume at this place are not options of a file system.
 */

/** A move, a bind or a change of another mount; a file taken for a disk; a program or a descriptor of the caller. */
const CHANGES_MEANING =
  /^(r?bind|move|remount|r?(shared|slave|private|unbindable)|loop|offset|sizelimit|u?helper|fd|(x-mount|verity)\..*)$/i;

/** The first option that is refused; undefined when all may be passed on. */
export function findOddMountOption(options: readonly string[]): string | undefined {
  return options.flatMap(splitOptions).find((option) => {
    const [name = ''] = option.trim().split('=', 1);
    return CHANGES_MEANING.test(name);
  });
}

/** One entry may hold several; commas inside quotes are part of a value, as in SELinux contexts. */
function splitOptions(text: string): string[] {
  return text.match(/(?:"[^"]*"|[^,"])+/g) ?? [];
}
