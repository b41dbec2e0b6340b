/**
 * The two ways in which a browser can write a file: directly to the disk, or from memory at the
 * end.
 */
import type { Sink } from './transfer';
import { download } from '../../ui/download';

type PickFile = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;

/** Not all browsers support it, and none without HTTPS. */
export function filePicker(): PickFile | null {
  if (!('showSaveFilePicker' in window)) return null;
  const { showSaveFilePicker } = window as { showSaveFilePicker?: PickFile };
  return showSaveFilePicker?.bind(window) ?? null;
}

/** The file appears under its name only once it is closed. */
export async function fileSink(handle: FileSystemFileHandle): Promise<Sink> {
  const file = await handle.createWritable();
  return {
    write: (bytes) => file.write(bytes),
    keep: () => file.close(),
    discard: () => file.abort().catch(() => undefined),
  };
}

export function memorySink(): Sink {
  let parts: Uint8Array<ArrayBuffer>[] = [];
  return {
    write: (bytes) => {
      parts.push(bytes);
      return Promise.resolve();
    },
    keep: (name) => {
      download(new Blob(parts), name);
      parts = [];
      return Promise.resolve();
    },
    discard: () => {
      parts = [];
      return Promise.resolve();
    },
  };
}
