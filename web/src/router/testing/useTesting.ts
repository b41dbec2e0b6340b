/**
 * The messages that a draft is tested on, and the results. They are kept when the user leaves the
 * page to look elsewhere.
 */
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
  /** The logspaces to test on; empty means all. */
  logspaces: readonly string[];
  /** The chosen saved search, and whether it has stages, which have no meaning here. */
  saved: { name: string; hasStages: boolean } | null;
  /** Messages to test instead of stored ones, one per line; null if stored ones are tested. */
  pasted: string | null;
  /** The source through which pasted messages come in. */
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
/** The maximum number of lines that are sent. */
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

/**
 * A saved search keeps its own range only if it has one; a table cannot be tested, but the messages
 * that it is made from can.
 */
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

/**
 * Whether only some of the messages were tested, in which case it means little that a route takes
 * none of them.
 */
export function isNarrow({ query, logspaces, pasted }: TestMessages): boolean {
  return pasted !== null || query.trim() !== '' || logspaces.length > 0;
}
