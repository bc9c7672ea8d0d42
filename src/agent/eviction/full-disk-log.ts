/** Logs once that a disk has become full, and once that it has room again: what fails meanwhile fails because of it. */
import type { Logger } from '../../base/log.ts';
import { findFullDisks, type NodeDisk } from '../../core/eviction/full-disks.ts';
import type { Observations } from '../../core/eviction/observations.ts';

export class FullDiskLog {
  readonly #logger: Logger;
  #full: readonly NodeDisk[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  note(observations: Observations): void {
    const full = findFullDisks(observations);
    const news = full.filter((disk) => !this.#full.includes(disk));
    const over = this.#full.filter((disk) => !full.includes(disk));
    for (const disk of news)
      this.#logger.error(
        'a disk of the node is full: pods keep running, checkpoints and new pods wait for room',
        undefined,
        { disk },
      );
    for (const disk of over) this.#logger.info('the disk has room again', { disk });
    this.#full = full;
  }
}
