/**
 * The file calls that write a volume made of data, twice. On a disk each has a
 * thread and its limits. In memory they are made at once: where the agent
 * itself has mounted a file system of the machine's memory no disk is asked, not
 * even for the names that lead there, which the kernel keeps while something is mounted;
 * and containers have such volumes to read only, so that none makes them large.
 */
import * as fs from 'node:fs';
import type { PayloadFile } from '../../../core/volume/payload.ts';
import { umaskKeeps } from '../umask.ts';
import * as storage from './storage-fs.ts';

/** All of them reject with the system's error. */
export interface ContentFiles {
  /** Open to all to read. */
  makeDirectory(path: string): Promise<void>;
  makeDirectories(path: string): Promise<void>;
  /** Refuses to replace. */
  writeNew(path: string, file: PayloadFile): Promise<void>;
  read(path: string): Promise<Uint8Array>;
  list(path: string): Promise<readonly fs.Dirent[]>;
  listAll(path: string): Promise<readonly fs.Dirent[]>;
  link(target: string, path: string): Promise<void>;
  readLink(path: string): Promise<string>;
  setLinkOwner(path: string, uid: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

const DIRECTORY_MODE = 0o755;
const NEW = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL;
/** Until it has its content and its owner. */
const FIRST_MODE = 0o600;
const WITH_TYPES = { withFileTypes: true } as const;
const ALL_WITH_TYPES = { withFileTypes: true, recursive: true } as const;

export const diskFiles: ContentFiles = {
  makeDirectory: async (path) => {
    await storage.mkdir(path, DIRECTORY_MODE);
    if (!umaskKeeps(DIRECTORY_MODE)) await storage.chmod(path, DIRECTORY_MODE);
  },
  makeDirectories: async (path) => void (await storage.mkdir(path, { recursive: true })),
  writeNew: async (path, { content, uid, mode }) => {
    const handle = await storage.open(path, NEW, FIRST_MODE);
    try {
      await handle.writeFile(content);
      if (uid !== undefined) await handle.chown(uid, (await handle.stat()).gid);
      await handle.chmod(mode);
    } finally {
      await handle.close();
    }
  },
  read: (path) => storage.readFile(path),
  list: (path) => storage.readdir(path, WITH_TYPES),
  listAll: (path) => storage.readdir(path, ALL_WITH_TYPES),
  link: storage.symlink,
  readLink: (path) => storage.readlink(path),
  setLinkOwner: (path, uid) => storage.lchown(path, uid, -1),
  rename: storage.rename,
  unlink: storage.unlink,
};

export const memoryFiles: ContentFiles = {
  makeDirectory: async (path) => {
    fs.mkdirSync(path, DIRECTORY_MODE);
    if (!umaskKeeps(DIRECTORY_MODE)) fs.chmodSync(path, DIRECTORY_MODE);
  },
  makeDirectories: async (path) => void fs.mkdirSync(path, { recursive: true }),
  writeNew: async (path, { content, uid, mode }) => {
    const descriptor = fs.openSync(path, NEW, FIRST_MODE);
    try {
      fs.writeFileSync(descriptor, content);
      if (uid !== undefined) fs.fchownSync(descriptor, uid, fs.fstatSync(descriptor).gid);
      fs.fchmodSync(descriptor, mode);
    } finally {
      fs.closeSync(descriptor);
    }
  },
  read: async (path) => fs.readFileSync(path),
  list: async (path) => fs.readdirSync(path, WITH_TYPES),
  listAll: async (path) => fs.readdirSync(path, ALL_WITH_TYPES),
  link: async (target, path) => fs.symlinkSync(target, path),
  readLink: async (path) => fs.readlinkSync(path),
  setLinkOwner: async (path, uid) => fs.lchownSync(path, uid, -1),
  rename: async (from, to) => fs.renameSync(from, to),
  unlink: async (path) => fs.unlinkSync(path),
};
