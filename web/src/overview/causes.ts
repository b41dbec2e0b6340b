/**
 * The problems that need attention, most urgent first, each with a link to where it can be dealt
 * with. Pure.
 */
import type { Ledger, RouterStatus, Senders } from '../api/model';
import { type Health, failedListeners } from '../api/status';
import { formatBytes, formatCount, formatMessages } from '../ui/number';
import { address } from '../ui/open';
import { NOT_UNDERSTOOD } from '../ui/skipped';
import { formatLength } from '../ui/time';

export type Cause = {
  key: string;
  tone: 'bad' | 'caution';
  /** The subject of the problem. */
  who: string;
  /** The rest of the sentence after the subject. */
  what: string;
  /** The consequence of the problem. */
  effect: string;
  href: string;
  action: string;
};

/** Maximum number of problems shown, as nobody reads long lists; each page lists all of its own. */
export const CAUSES_MAX = 6;
const NAMES_MAX = 3;

/**
 * The problems. Figures that are missing, because they are loading or not visible to this user,
 * cause none.
 */
export function causesOf(
  status: RouterStatus,
  flow: Ledger | undefined,
  senders: Senders | undefined,
  now: number,
  health?: Health,
): Cause[] {
  return [
    ...readiness(health),
    ...destinations(status, now),
    ...refused(status),
    ...sources(status),
    ...logspaces(status),
    ...(flow === undefined ? [] : [...balance(flow), ...skipped(flow, senders), ...cut(flow)]),
    ...expiry(status),
    ...(senders === undefined ? [] : [...silent(senders), ...zones(senders)]),
  ];
}

/** The headline of the page. */
export function headlineOf(causes: readonly Cause[], flow: Ledger): string {
  const lost = accountOf(flow);
  if (causes.length === 0) return `All is well. ${lost}`;
  const looks = causes.length === 1 ? 'One thing needs' : `${causes.length} things need`;
  return isBad(causes) ? `${looks} attention. ${lost}` : `${looks} a look. ${lost}`;
}

/** Balanced messages are not everything, if bytes did not become messages. */
function accountOf(flow: Ledger): string {
  if (!isBalanced(flow)) return 'Messages are missing.';
  const bytes = notUnderstood(flow);
  return bytes === 0
    ? 'Every message is accounted for.'
    : `${formatBytes(bytes)} are in no message.`;
}

function notUnderstood({ total }: Ledger): number {
  return total.skipped_bytes[NOT_UNDERSTOOD] ?? 0;
}

/** The same in a word or two, for places with little room. */
export function wordOf(causes: readonly Cause[]): string {
  if (causes.length === 0) return 'All is well';
  if (isBad(causes)) return causes.length === 1 ? '1 trouble' : `${causes.length} troubles`;
  return `${causes.length} to look at`;
}

export function isBad(causes: readonly Cause[]): boolean {
  return causes.some(({ tone }) => tone === 'bad');
}

export function isBalanced({ total }: Ledger): boolean {
  return total.remainder === 0;
}

/** The reasons that the server itself gives for not accepting messages. */
function readiness(health: Health | undefined): Cause[] {
  if (health?.state !== 'not-ready') return [];
  return [
    {
      key: 'readiness',
      tone: 'bad',
      who: 'The server',
      what: `is not ready: ${health.reasons === '' ? 'it does not say why' : health.reasons}`,
      effect: 'Messages may be refused, or senders held back.',
      href: address('/admin', { tab: 'server' }),
      action: 'Show the server',
    },
  ];
}

function destinations(status: RouterStatus, now: number): Cause[] {
  return status.destinations
    .filter(({ state, queue_error: error }) => state === 'retrying' || error != null)
    .map((one) => ({
      key: `destination ${one.id}`,
      tone: 'bad',
      who: one.id,
      what: `does not take messages: ${one.queue_error ?? one.last_error ?? 'it does not say why'}`,
      effect: [
        `${formatMessages(one.queue_messages)} ${one.queue_messages === 1 ? 'waits' : 'wait'}`,
        ...(one.failing_since == null
          ? []
          : [`for ${formatLength(now - Date.parse(one.failing_since))}`]),
      ].join(', '),
      href: address('/router', { view: 'list', queue: one.id }),
      action: 'Show its queue',
    }));
}

/**
 * Refused messages wait in the quarantine until somebody sends them again or discards them; the
 * destination continues without them.
 */
function refused({ destinations }: RouterStatus): Cause[] {
  return destinations
    .filter(({ quarantined }) => quarantined > 0)
    .map(({ id, quarantined }) => ({
      key: `refused ${id}`,
      tone: 'caution',
      who: id,
      what: `refused ${formatMessages(quarantined)}`,
      effect: 'They are kept in its quarantine, and it does not have them.',
      href: address('/router', { view: 'list', quarantine: id }),
      action: 'Show them',
    }));
}

function sources({ sources }: RouterStatus): Cause[] {
  return sources.flatMap(({ id, listeners }) =>
    failedListeners(listeners).map(({ url, error }) => ({
      key: `source ${id} ${url}`,
      tone: 'bad' as const,
      who: id,
      what: `does not listen on ${url}`,
      effect: error ?? 'Nothing is received there.',
      href: address('/router', { view: 'list' }),
      action: 'Show sources',
    })),
  );
}

function logspaces({ logspaces }: RouterStatus): Cause[] {
  return logspaces.flatMap(({ id, state, last_error: error, sealing_error: sealing }) => {
    const what = state === 'failing' ? `cannot store: ${error ?? ''}` : sealing;
    if (what == null) return [];
    return [
      {
        key: `logspace ${id}`,
        tone: 'bad' as const,
        who: id,
        what,
        effect: state === 'failing' ? 'Senders are held back.' : 'Searches become slower.',
        href: address('/logspaces'),
        action: 'Show logspaces',
      },
    ];
  });
}

function balance(flow: Ledger): Cause[] {
  if (isBalanced(flow)) return [];
  return [
    {
      key: 'balance',
      tone: 'bad',
      who: 'The ledger',
      what: `does not add up by ${formatMessages(Math.abs(flow.total.remainder))}`,
      effect: 'This is a fault of the server: please report it.',
      href: address('/flow'),
      action: 'Show the flow',
    },
  ];
}

/** The ledger knows the amount; the senders show whose messages they are. */
function skipped(flow: Ledger, senders: Senders | undefined): Cause[] {
  const bytes = notUnderstood(flow);
  if (bytes === 0) return [];
  const from = Date.parse(flow.from);
  const hosts = (senders?.skipped ?? []).filter(
    ({ reasons, last_seen: seen }) =>
      (reasons[NOT_UNDERSTOOD] ?? 0) > 0 && Date.parse(seen) >= from,
  );
  const [first] = hosts;
  const sources = flow.rows.filter((row) => (row.skipped_bytes[NOT_UNDERSTOOD] ?? 0) > 0);
  const isOne = hosts.length === 1 && first !== undefined;
  return [
    {
      key: 'skipped',
      tone: 'bad',
      who:
        first === undefined
          ? sources.map(({ source }) => source).join(', ')
          : isOne
            ? first.host
            : `${formatCount(hosts.length)} senders`,
      what: `sent ${formatBytes(bytes)} that could not be understood`,
      effect: isOne || first === undefined ? 'No message holds them.' : named(hosts),
      href: address('/senders', isOne ? { source: first.source, host: first.host } : {}),
      action: 'Show the bytes',
    },
  ];
}

/**
 * Bytes skipped because they exceed a limit: the operator may want to keep them, or has set the
 * limit on purpose.
 */
function cut(flow: Ledger): Cause[] {
  const rows = flow.rows.filter((row) => (row.skipped_bytes['too_long'] ?? 0) > 0);
  if (rows.length === 0) return [];
  return [
    {
      key: 'cut',
      tone: 'caution',
      who: rows.map(({ source }) => source).join(', '),
      what: `cut ${formatBytes(flow.total.skipped_bytes['too_long'] ?? 0)} from messages that are too long`,
      effect: 'The message_max of a source says how much is kept.',
      href: address('/flow', { from: '-24h' }),
      action: 'Show the flow',
    },
  ];
}

function expiry({ expiry_held: held }: RouterStatus): Cause[] {
  if (held == null) return [];
  return [
    {
      key: 'expiry',
      tone: 'caution',
      who: 'Retention',
      what: `is on hold: ${held}`,
      effect: 'No messages are removed by age for now.',
      href: address('/logspaces'),
      action: 'Show logspaces',
    },
  ];
}

function silent({ senders }: Senders): Cause[] {
  const hosts = senders.filter((sender) => sender.silent);
  if (hosts.length === 0) return [];
  const longest = Math.max(...hosts.map(({ quiet_seconds: quiet }) => quiet));
  return [
    {
      key: 'silent',
      tone: 'caution',
      who: hosts.length === 1 ? '1 sender' : `${formatCount(hosts.length)} senders`,
      what: hosts.length === 1 ? 'is silent against its habit' : 'are silent against their habit',
      effect: `${named(hosts)}; for up to ${formatLength(longest * 1000)}`,
      href: address('/senders', { show: 'silent' }),
      action: 'Show senders',
    },
  ];
}

function zones({ senders }: Senders): Cause[] {
  const hosts = senders.filter(({ zone }) => zone !== undefined);
  const [first] = hosts;
  if (first?.zone === undefined) return [];
  return [
    {
      key: 'zones',
      tone: 'caution',
      who: hosts.length === 1 ? first.host : `${formatCount(hosts.length)} senders`,
      what:
        hosts.length === 1
          ? `seems to write times of UTC${first.zone.guess}`
          : 'seem to write times of another zone',
      effect:
        hosts.length === 1
          ? `${formatCount(first.zone.messages)} of ${formatMessages(first.zone.of)}`
          : named(hosts),
      href: address(
        '/senders',
        hosts.length === 1 ? { source: first.source, host: first.host } : { show: 'skewed' },
      ),
      action: 'Set it right',
    },
  ];
}

function named(hosts: readonly { host: string }[]): string {
  const names = hosts.slice(0, NAMES_MAX).map(({ host }) => host);
  return [...names, ...(hosts.length > NAMES_MAX ? ['…'] : [])].join(', ');
}
