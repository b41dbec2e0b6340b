/**
 * One sender: its problems and what to do about them, its figures, and its last messages as they
 * were received.
 */
import { Button, SegmentedControl, Skeleton } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconRefresh, IconX } from '@tabler/icons-react';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { IconButton } from '../ui/IconButton';
import { SelectField } from '../ui/Fields';
import { Table } from '../ui/Table';
import type { Sender, SenderFrame, SkewBin, SkippedPiece, SkippedSender } from '../api/model';
import { sendersQuery } from '../api/status';
import { editedQuery } from '../api/query';
import { sessionQuery } from '../api/session';
import { Dialog } from '../ui/Dialog';
import { FormEnd } from '../ui/Form';
import { Trend } from '../ui/chart/Trend';
import { formatBytes, formatCount, formatRate } from '../ui/number';
import { formatAge, formatLength, formatTime, useZone } from '../ui/time';
import { address } from '../ui/open';
import { toast } from '../ui/toast';
import { Failure } from '../ui/Notice';
import { PartLoadError } from '../ui/PageLoadError';
import { hexRows } from '../messages/drawer/bytes';
import { permalink } from '../messages/messageState';
import { NOT_UNDERSTOOD, skippedAbout, skippedName, skippedText } from '../ui/skipped';
import { Troubles } from './SenderTable';
import { STEPS_PER_POINT, binText, lengthText, skewText, zonesWith } from './senders';
import type { SenderKey } from './sendersParams';
import { forgetSender, framesQuery, setTimezone, skippedQuery } from './sendersQueries';
import classes from './Panel.module.css';

type Props = {
  name: SenderKey;
  /** Undefined if the server does not know this sender. */
  sender: Sender | undefined;
  /** The bytes from its address that are in no message, if there are any. */
  skipped: SkippedSender | undefined;
  now: number;
  onStep: (by: number) => void;
  onClose: () => void;
};

export function SenderPanel({ name, sender, skipped, now, onStep, onClose }: Props) {
  return (
    <aside className={classes.panel} aria-label={`Sender ${name.host}`}>
      <header className={classes.head}>
        <h2>{name.host}</h2>
        {sender !== undefined && <Troubles sender={sender} />}
        <span className="flex gap4 toEnd">
          <IconButton icon={IconChevronUp} label="Previous sender" onClick={() => onStep(-1)} />
          <IconButton icon={IconChevronDown} label="Next sender" onClick={() => onStep(1)} />
          <IconButton icon={IconX} label="Close" onClick={onClose} />
        </span>
      </header>
      {sender === undefined ? (
        <div className="stack gap16 padBox grow minHeight0 scrollY">
          <p>
            The source {name.source} knows no such host: it was forgotten, or has sent no message
            {skipped === undefined ? '' : ' that names no other host'}.
          </p>
          {skipped !== undefined && <SkippedPieces skipped={skipped} />}
        </div>
      ) : (
        <Known sender={sender} skipped={skipped} now={now} onClose={onClose} />
      )}
    </aside>
  );
}

type KnownProps = Pick<Props, 'skipped' | 'now' | 'onClose'> & { sender: Sender };

function Known({ sender, skipped, now, onClose }: KnownProps) {
  const [zone] = useZone();
  const { data: session } = useQuery(sessionQuery);
  const mayChange = session?.user?.role === 'admin' || session?.user?.role === 'operator';
  return (
    <div className="stack gap16 padBox grow minHeight0 scrollY">
      {sender.silent && (
        <section className={classes.card} data-tone="bad">
          <h3>Silent for {formatLength(sender.quiet_seconds * 1000)}</h3>
          <p>
            Its longest pause of the last days was {formatLength(sender.usual_pause_seconds * 1000)}
            . The last message came {formatTime(sender.last_seen, zone)}
            {sender.address === '' ? '' : ` from ${sender.address}`}.
          </p>
        </section>
      )}
      {sender.zone !== undefined && (
        <ZoneCard sender={sender} zone={sender.zone} mayChange={mayChange} />
      )}
      <dl className={classes.facts}>
        <Fact name="Source">
          {sender.source} <span className="dimmed">{sender.protocol}</span>
        </Fact>
        <Fact name="Address">{sender.address === '' ? 'this machine' : sender.address}</Fact>
        {sender.tls_subject !== undefined && <Fact name="Certificate">{sender.tls_subject}</Fact>}
        <Fact name="First seen">{formatTime(sender.first_seen, zone)}</Fact>
        <Fact name="Last seen">{formatAge(sender.last_seen, now)}</Fact>
        <Fact name="Messages">
          {formatCount(sender.messages)}{' '}
          <span className="dimmed">{formatBytes(sender.bytes)} of text</span>
        </Fact>
        <Fact name="Not recognised">{formatCount(sender.unparsed)}</Fact>
        <Fact name="Cut">{formatCount(sender.truncated)}</Fact>
        {sender.skipped_bytes > 0 && (
          <Fact name="In no message">{formatBytes(sender.skipped_bytes)}</Fact>
        )}
      </dl>
      <section className={classes.part} aria-label="The last day">
        <h3>
          Last 24 h <span className="dimmed">{formatRate(sender.rate)}/s now</span>
        </h3>
        <div className={classes.trend}>
          <Trend counts={sender.series} fold={STEPS_PER_POINT} isBad={sender.silent} width={400} />
        </div>
      </section>
      {sender.skew_ms !== null && (
        <section className={classes.part} aria-label="Clock">
          <h3>
            Clock <span className="dimmed">{skewText(sender.skew_ms)}, as the median</span>
          </h3>
          <SkewChart bins={sender.skew_bins} />
        </section>
      )}
      {skipped !== undefined && <SkippedPieces skipped={skipped} />}
      <LastFrames sender={sender} />
      <Foot sender={sender} mayChange={mayChange} onForgotten={onClose} />
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type FootProps = { sender: Sender; mayChange: boolean; onForgotten: () => void };

function Foot({ sender, mayChange, onForgotten }: FootProps) {
  const { source, host } = sender;
  const cache = useQueryClient();
  const [asks, setAsks] = useState(false);
  const { data: query } = useQuery(
    editedQuery('', [
      { op: 'include', field: 'host', value: host },
      { op: 'include', field: 'source', value: source },
    ]),
  );
  const forget = useMutation({
    mutationFn: () => forgetSender({ source, host }),
    onSuccess: async () => {
      toast({ tone: 'good', title: `${host} is forgotten` });
      await cache.invalidateQueries({ queryKey: sendersQuery.queryKey, exact: true });
      onForgotten();
    },
    onError: (error) =>
      toast({ tone: 'error', title: `${host} is not forgotten`, detail: error.message }),
  });
  return (
    <footer className="flex gap8 padTop8 rigid">
      {query !== undefined && (
        <Button component="a" href={address('/search', { q: query, from: '-24h' })}>
          Search its messages
        </Button>
      )}
      {mayChange && (
        <Button variant="subtle" color="red" onClick={() => setAsks(true)}>
          Forget
        </Button>
      )}
      <Dialog opened={asks} onClose={() => setAsks(false)} title={`Forget ${host}?`} size="sm">
        <p>
          Its figures are removed from this page. Its messages stay, and if it sends again, it is
          listed as new.
        </p>
        <FormEnd
          mt={16}
          action="Forget it"
          tone="red"
          isPending={forget.isPending}
          onAct={() => forget.mutate()}
          onCancel={() => setAsks(false)}
        />
      </Dialog>
    </footer>
  );
}

/**
 * The differences between the times in a sender's last messages and their arrival, as labelled
 * bars.
 */
function SkewChart({ bins }: { bins: readonly SkewBin[] }) {
  const highest = Math.max(...bins.map(({ messages }) => messages), 1);
  return (
    <Table
      className={classes.skew}
      heads={['Distance', 'Share', 'Messages']}
      headClassName="unseen"
    >
      {bins.map((bin) => (
        <tr key={String(bin.from_ms)}>
          <th scope="row">{binText(bin)}</th>
          <td className={classes.track}>
            <span
              className={classes.bar}
              style={{ width: `${Math.max((bin.messages / highest) * 100, 0.5)}%` }}
            />
          </td>
          <td>{formatCount(bin.messages)}</td>
        </tr>
      ))}
    </Table>
  );
}

type ZoneCardProps = { sender: Sender; zone: NonNullable<Sender['zone']>; mayChange: boolean };

/** The evidence that a sender writes its times in another zone, and a way to correct it. */
function ZoneCard({ sender, zone, mayChange }: ZoneCardProps) {
  const { guess, messages, of } = zone;
  const ahead = zone.seconds_ahead > 0;
  const length = lengthText(Math.abs(zone.seconds_ahead) * 1000);
  const cache = useQueryClient();
  const zones = useMemo(() => zonesWith(guess, new Date()), [guess]);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [chosen, setChosen] = useState(zones[0] === own ? own : guess);
  const fix = useMutation({
    mutationFn: (timezone: string | null) => setTimezone(sender, timezone),
    onSuccess: ({ revision }, timezone) => {
      toast({
        tone: 'good',
        title: `Times of ${sender.host} are read as ${timezone ?? 'those of its source'}`,
        detail: `From now on, as revision ${revision}. Messages that are stored keep their times.`,
        ...(timezone !== null && { action: { label: 'Undo', run: () => fix.mutate(null) } }),
      });
      void cache.invalidateQueries({ queryKey: sendersQuery.queryKey });
    },
  });
  return (
    <section className={classes.card} data-tone="caution" aria-label="Time zone">
      <h3>
        Always {length} {ahead ? 'ahead' : 'behind'}
      </h3>
      <p>
        <strong>
          {formatCount(messages)} of {formatCount(of)}
        </strong>{' '}
        of the last messages say a time that is {length} {ahead ? 'after' : 'before'} their arrival.
        A whole number of quarters of an hour is a time zone, not a clock that drifts: it probably
        writes local time, UTC{guess}.
      </p>
      {mayChange ? (
        <div className={classes.fix}>
          <SelectField label="Read its times as" value={chosen} onChange={setChosen}>
            <option value={guess}>UTC{guess}, all year</option>
            {zones.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </SelectField>
          <Button variant="filled" loading={fix.isPending} onClick={() => fix.mutate(chosen)}>
            Use it from now on
          </Button>
        </div>
      ) : (
        <p>An operator can set its zone here.</p>
      )}
      <Failure error={fix.error} />
    </section>
  );
}

const BYTES_MAX = 1024;

const names: Record<SenderFrame['recognised'], string> = {
  rfc5424: 'RFC 5424',
  rfc3164: 'RFC 3164',
  other: 'no syslog header',
  unparsed: 'not recognised',
};

type PiecesProps<Piece> = {
  label: string;
  title: string;
  /** The name of the pieces, in the plural. */
  what: string;
  query: UseQueryResult<readonly Piece[]>;
  /** Whether the user may see them. */
  mayLook?: boolean;
  about?: ReactNode;
  none: string;
  children: (piece: Piece, isHex: boolean) => ReactNode;
};

/** The last that came from a sender, as text or bytes. */
function Pieces<Piece>(props: PiecesProps<Piece>) {
  const { label, title, what, query, mayLook = true, about, none, children } = props;
  const { data: pieces, error, refetch, isFetching } = query;
  const [look, setLook] = useState<string>('Text');
  return (
    <section className={classes.part} aria-label={label}>
      <div className={classes.tools}>
        <h3>{title}</h3>
        {mayLook && (
          <>
            <IconButton
              icon={IconRefresh}
              label="Ask again"
              loading={isFetching}
              onClick={() => void refetch()}
            />
            <SegmentedControl data={['Text', 'Hex']} value={look} onChange={setLook} />
          </>
        )}
      </div>
      {about}
      <PartLoadError what={what} error={error} onRetry={() => void refetch()} />
      {mayLook && pieces === undefined && error === null && <Skeleton height={80} />}
      {pieces?.length === 0 && <p className="dimmed">{none}</p>}
      <ol className="stack gap8">{pieces?.map((piece) => children(piece, look === 'Hex'))}</ol>
    </section>
  );
}

/**
 * The last messages of a sender as they were received, as text or bytes, with the values that were
 * parsed from them.
 */
function LastFrames({ sender: { source, host } }: { sender: SenderKey }) {
  return (
    <Pieces
      label="Last messages"
      title="Last messages as they came"
      what="Messages"
      query={useQuery(framesQuery({ source, host }))}
      none="No message of it is stored: they are dropped, or have expired."
    >
      {(frame, isHex) => <Frame key={frame.id} frame={frame} isHex={isHex} />}
    </Pieces>
  );
}

function Frame({ frame, isHex }: { frame: SenderFrame; isHex: boolean }) {
  const [zone] = useZone();
  const bytes = Uint8Array.from(atob(frame.bytes), (character) => character.charCodeAt(0));
  const shown = bytes.subarray(0, BYTES_MAX);
  const rest = bytes.length - shown.length;
  const fields = Object.entries(frame.fields).filter(([name]) => name !== 'message');
  return (
    <li className="padTop8 lineTop">
      <p className={classes.about}>
        <a href={permalink(frame.id)} className="mono">
          {formatTime(frame.received, zone)}
        </a>
        <span className={classes.kind} data-bad={frame.recognised === 'unparsed'}>
          {names[frame.recognised]}
        </span>
        {bytes.length} bytes
      </p>
      <pre className={classes.bytes}>
        {isHex ? hexRows(shown, BYTES_MAX, 8) : new TextDecoder().decode(shown)}
        {rest > 0 && `\n… and ${rest} bytes more`}
      </pre>
      {fields.length > 0 && (
        <dl className={classes.fields}>
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{[value].flat().join(', ')}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** The last bytes from an address that no message holds, as text or bytes. */
function SkippedPieces({ skipped: { source, host, reasons } }: { skipped: SkippedSender }) {
  const { data: session } = useQuery(sessionQuery);
  const mayLook = session?.user?.role === 'admin' || session?.user?.role === 'operator';
  return (
    <Pieces
      label="In no message"
      title="Bytes in no message"
      what="Bytes"
      query={useQuery({ ...skippedQuery({ source, host }), enabled: mayLook })}
      mayLook={mayLook}
      about={
        <p className="dimmed">
          {skippedText(reasons)}, of all that {host} sent.
          {!mayLook && ' Operators can look at the last of them.'}
        </p>
      }
      none="None came since the server started, which keeps only the last ones."
    >
      {(piece, isHex) => (
        <Piece key={`${piece.received} ${piece.reason}`} piece={piece} isHex={isHex} />
      )}
    </Pieces>
  );
}

function Piece({ piece, isHex }: { piece: SkippedPiece; isHex: boolean }) {
  const [zone] = useZone();
  const { received, reason, bytes, head } = piece;
  const shown = Uint8Array.from(atob(head), (character) => character.charCodeAt(0));
  const rest = bytes - shown.length;
  return (
    <li className="padTop8 lineTop">
      <p className={classes.about}>
        <span className="mono">{formatTime(received, zone)}</span>
        <span
          className={classes.kind}
          data-bad={reason === NOT_UNDERSTOOD}
          title={skippedAbout(reason)}
        >
          {skippedName(reason)}
        </span>
        {formatBytes(bytes)}
      </p>
      {shown.length > 0 && (
        <pre className={classes.bytes}>
          {isHex ? hexRows(shown, BYTES_MAX, 8) : new TextDecoder().decode(shown)}
          {rest > 0 && `\n… and ${formatBytes(rest)} more`}
        </pre>
      )}
    </li>
  );
}
