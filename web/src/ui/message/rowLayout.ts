/**
 * The layout of a list's rows, derived from its messages: the widths of the columns, and those that
 * can be left out.
 */
import type { Message } from '../../api/model';
import { PROFILED_MAX, type Profile, noProfile, profileOf } from './profile';
import { smartOf } from './smart';

export type RowLayout = {
  /** The parts of a line after the time, from left to right, including those without a column. */
  order: readonly LinePart[];
  profile: Profile;
  host: Column;
  program: Column;
  /** Null if all messages are in one logspace. */
  logspace: Column | null;
};

/**
 * `only` is the value that all messages have in common: it is shown in the head of the list
 * instead.
 */
export type Column = { ch: number; only: string | null };

/** The values of host and program that every message of the result has, listed or not; null if unknown. */
export type Common = { host: string | null; program: string | null };

/** For an endless list, and for a result that has not been counted yet. */
export const nothingCommon: Common = { host: null, program: null };

export type LinePart = 'host' | 'program' | 'message' | 'logspace';

export const lineParts: readonly LinePart[] = ['host', 'program', 'message', 'logspace'];

/** The maximum width of a column; longer values are cut in the middle. */
const CH_MAX = 22;
/** The minimum widths of columns, which are those of their heads. */
const HOST_CH_MIN = 4;
const PROGRAM_CH_MIN = 7;
const LOGSPACE_CH_MIN = 8;
/** The share of the values that fit into the width. */
const ROOM_PART = 0.9;
/** The minimum number of messages: with fewer, showing a value once in the head saves nothing. */
const ONLY_MIN = 5;

export const plainLayout: RowLayout = {
  order: lineParts,
  profile: noProfile,
  host: { ch: 16, only: null },
  program: { ch: 16, only: null },
  logspace: null,
};

/**
 * The layout depends only on the newest messages, so that a list does not change its look while it
 * is scrolled.
 */
export function rowLayoutOf(
  messages: readonly Message[],
  asked: readonly string[],
  common: Common,
): RowLayout {
  const first = messages.slice(0, PROFILED_MAX);
  const logspaces = first.map(({ logspace }) => logspace);
  return {
    order: lineParts,
    profile: profileOf(first, (message) => smartOf(message).pairs, asked),
    host: columnOf(
      first.map(({ host }) => host),
      HOST_CH_MIN,
      common.host,
    ),
    program: columnOf(
      first.map(({ program }) => program),
      PROGRAM_CH_MIN,
      common.program,
    ),
    logspace: new Set(logspaces).size > 1 ? columnOf(logspaces, LOGSPACE_CH_MIN, null) : null,
  };
}

/** The beginning and the end of a text: for long names these are more useful than the middle. */
export function cutMiddle(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const end = Math.floor((charactersMax - 1) / 2);
  const begin = charactersMax - 1 - end;
  // The text is cut between whole characters, some of which are two UTF-16 units.
  const first = Array.from(text.slice(0, 2 * begin)).slice(0, begin);
  const last = end === 0 ? [] : Array.from(text.slice(-2 * end)).slice(-end);
  return `${first.join('')}…${last.join('')}`;
}

function columnOf(values: readonly string[], chMin: number, common: string | null): Column {
  const lengths = values.map((value) => value.length).sort((a, b) => a - b);
  const wide = lengths[Math.ceil(lengths.length * ROOM_PART) - 1] ?? 0;
  // The counts may be older than the rows.
  const isOne = values.length >= ONLY_MIN && values.every((value) => value === common);
  return {
    ch: Math.min(Math.max(wide, chMin), CH_MAX),
    only: isOne ? common : null,
  };
}

/** The parts that have a column of their own, in their order. */
export function shownParts({ order, host, program, logspace }: RowLayout): readonly LinePart[] {
  return order.filter((part) => {
    switch (part) {
      case 'host':
        return host.only === null;
      case 'program':
        return program.only === null;
      case 'message':
        return true;
      case 'logspace':
        return logspace !== null;
    }
  });
}
