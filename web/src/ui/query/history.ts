/** The queries that were run in this browser, newest first. */
import { useBrowserState } from '../useBrowserState';

const QUERIES_MAX = 100;

/** A query that was run before moves to the front. */
export function remember(history: readonly string[], query: string): string[] {
  const text = query.trim();
  if (text === '') return [...history];
  return [text, ...history.filter((past) => past !== text)].slice(0, QUERIES_MAX);
}

export function useQueryHistory(): readonly [readonly string[], (query: string) => void] {
  const [history, setHistory] = useBrowserState<readonly string[]>({
    key: 'logstead-history',
    defaultValue: [],
    deserialize: readHistory,
  });
  return [history, (query) => setHistory((past) => remember(past, query))];
}

/** Never fails: other programs may have written the text. */
export function readHistory(text: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}
