/**
 * The query that is being written. It outlives a reload and a new login, and gives way only to another query: not to
 * the one that it was sent as, which comes a moment later, when the user may be typing on.
 */
import { useEffect, useState } from 'react';

const KEY = 'logstead-draft';

type Draft = {
  draft: string;
  setDraft: (text: string) => void;
  /** Says what it was asked as. */
  setAsked: (query: string) => void;
};

export function useDraft(query: string): Draft {
  const [draft, setDraft] = useState(() => readDraft(query));
  const [known, setKnown] = useState(query);
  const [asked, setAsked] = useState<string | null>(null);
  if (known !== query) {
    setKnown(query);
    setAsked(null);
    if (asked !== query || draft.trim() === query) setDraft(query);
  }
  useEffect(() => {
    if (draft === query) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify([query, draft]));
  }, [draft, query]);
  return { draft, setDraft, setAsked };
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
