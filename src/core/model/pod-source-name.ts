/** Where a pod came from. */
export type PodSourceName = 'file' | 'http' | 'api';
