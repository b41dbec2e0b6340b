/** The queries asked in this browser, as stored by the query bar. */

export const HISTORY_KEY = 'logstead-history';

/** The queries, newest first. An unreadable history counts as empty. */
export function readHistory(text: string | null): string[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(read)) return [];
    return read.filter((one): one is string => typeof one === 'string' && one.trim() !== '');
  } catch {
    return [];
  }
}
