/** Gives a file to the browser, which saves it among the downloads. */

const URL_NEEDED_MS = 60_000;

export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the blob some time after the click.
  setTimeout(() => URL.revokeObjectURL(address), URL_NEEDED_MS);
}
