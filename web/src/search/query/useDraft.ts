/** What is being written. It outlives a reload and a new login, and gives way only to another query. */
import { useEffect, useState } from 'react';

const KEY = 'logstead-draft';

export function useDraft(query: string): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => readDraft(query));
  const [known, setKnown] = useState(query);
  if (known !== query) {
    setKnown(query);
    setDraft(query);
  }
  useEffect(() => {
    if (draft === query) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify([query, draft]));
  }, [draft, query]);
  return [draft, setDraft];
}

/** A draft belongs to the query that it was made from. */
function readDraft(query: string): string {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    if (!Array.isArray(kept) || kept[0] !== query || typeof kept[1] !== 'string') return query;
    return kept[1];
  } catch {
    return query;
  }
}
