/** On which messages a draft is tried, and what came of it. It outlives the page, so that one can look elsewhere meanwhile. */
import { useState } from 'react';
import { type SavedSearch, noteUse } from '../../api/savedSearches';
import { splitStages } from '../../ui/query/lexer';
import { type TimeRange, initialRange, rangeLabel, readRange, requestRange } from '../../ui/range';
import type { RouterDocument } from '../document';
import type { Content } from '../draft/edits';
import { type TestRun, documentOf, useTestRun } from './run';
import type { TestRequest } from './wire';

export type TestMessages = {
  range: TimeRange;
  query: string;
  /** Empty for all. */
  logspaces: readonly string[];
  /** The search that was chosen, and whether a part of it means nothing here. */
  saved: { name: string; hasStages: boolean } | null;
  /** One per line, in place of stored ones; null where these are tried. */
  pasted: string | null;
  /** The source that pasted ones come in through. */
  source: string;
};

/** The subject of a report. */
export type TestedDraft = {
  messages: TestMessages;
  content: Content;
  draft: RouterDocument;
  live: RouterDocument;
  liveRevision: number;
  baseRevision: number;
  at: string;
};

export type Testing = Omit<TestRun<TestedDraft>, 'start' | 'subject'> & {
  messages: TestMessages;
  /** The subject of the report. */
  tested: TestedDraft | null;
  choose: (part: Partial<TestMessages>) => void;
  useSaved: (saved: SavedSearch) => TestMessages;
  try: (draft: Omit<TestedDraft, 'messages' | 'at'>, messages?: TestMessages) => void;
};

const EXAMPLES = 6;
/** More lines are not sent. */
export const PASTED_MAX = 1_000;

export function useTesting(source: string): Testing {
  const [chosen, setMessages] = useState<TestMessages>({
    ...{ range: initialRange, query: '', logspaces: [], saved: null, pasted: null, source: '' },
  });
  const { start, subject: tested, ...run } = useTestRun<TestedDraft>();
  const messages = { ...chosen, source: chosen.source === '' ? source : chosen.source };
  return {
    ...run,
    messages,
    tested,
    choose: (part) => setMessages({ ...messages, ...part }),
    useSaved: (saved) => {
      noteUse(saved.id);
      const next = withSaved(messages, saved);
      setMessages(next);
      return next;
    },
    try: (draft, on = messages) => {
      setMessages(on);
      const subject = { ...draft, messages: on, at: new Date().toISOString() };
      start(requestOf(draft.content, on), subject);
    },
  };
}

/** A saved search keeps its own range only if it has one; a table cannot be tried, but the messages behind it can. */
export function withSaved(messages: TestMessages, saved: SavedSearch): TestMessages {
  const { filter, stages } = splitStages(saved.query);
  const hasRange = saved.from !== null || saved.to !== null;
  return {
    ...messages,
    query: filter,
    range: hasRange ? readRange(saved.from ?? undefined, saved.to ?? undefined) : messages.range,
    logspaces: saved.logspaces ?? [],
    saved: { name: saved.name, hasStages: stages !== '' },
    pasted: null,
  };
}

export function linesOf(pasted: string): string[] {
  return pasted.split('\n').filter((line) => line.trim() !== '');
}

export function requestOf(content: Content, on: TestMessages): TestRequest {
  const { range, query, logspaces, pasted, source } = on;
  return {
    document: documentOf(content),
    examples: EXAMPLES,
    ...(pasted === null
      ? {
          ...requestRange(range),
          ...(query.trim() !== '' && { query: query.trim() }),
          ...(logspaces.length > 0 && { logspaces }),
        }
      : {
          messages: linesOf(pasted)
            .slice(0, PASTED_MAX)
            .map((raw) => ({ raw, source })),
        }),
  };
}

/** `the last hour`, `host:web-1 in the last hour`, `3 pasted messages` */
export function messagesText({ range, query, pasted }: TestMessages): string {
  if (pasted !== null) {
    const count = Math.min(linesOf(pasted).length, PASTED_MAX);
    return count === 1 ? '1 pasted message' : `${count} pasted messages`;
  }
  const stretch = rangeText(range);
  return query.trim() === '' ? stretch : `${query.trim()} in ${stretch}`;
}

function rangeText(range: TimeRange): string {
  const label = rangeLabel(range, 'utc');
  if (range.kind === 'between') return `${label} UTC`;
  return range.kind === 'all' ? 'all time' : label.replace(/^Last/, 'the last');
}

/** Whether only some of the messages were tried, so that it says little that a route takes none of them. */
export function isNarrow({ query, logspaces, pasted }: TestMessages): boolean {
  return pasted !== null || query.trim() !== '' || logspaces.length > 0;
}
