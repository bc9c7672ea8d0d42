/** A timer of the machine's own clock, for what limits its real work: tests of it wait in real time too. */
export function startTimer(delayMs: number, run: () => void): Disposable {
  const timer = setTimeout(run, delayMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
