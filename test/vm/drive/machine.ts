/** A machine that a test outside switches on and off, and runs programs in. */

export interface Output {
  readonly code: number;
  readonly text: string;
}

/** Runs programs inside. */
export interface Inside {
  /** Starts a program and does not wait for it. */
  start(path: string, ...args: string[]): Promise<unknown>;
  /** Puts a file in place and on the disk. */
  write(path: string, content: string): Promise<void>;
  /** Runs a program to its end. */
  run(path: string, ...args: string[]): Promise<Output>;
  /** What the shell script prints; rejects unless it ends well. */
  script(text: string): Promise<string>;
}

export interface Machine {
  readonly agent: Inside;
  /** Powers on; resolves when programs can be run inside. */
  boot(): Promise<void>;
  /** Which boot this is; another after each, also one that the machine did by itself. */
  bootId(): Promise<string>;
  /** Pulls the plug. */
  cutPower(): Promise<void>;
  /** Resolves when the machine has powered itself off. */
  off(): Promise<void>;
}
