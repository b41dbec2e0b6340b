/** The last messages of a sender as they came, as text or bytes, with what was read out of them. */
import { ActionIcon, SegmentedControl, Skeleton } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SenderFrame, SkippedPiece, SkippedSender } from '../api/model';
import { PartLoadError } from '../ui/PageLoadError';
import { hexRows } from '../messages/drawer/bytes';
import { permalink } from '../messages/messageState';
import { formatTime, useZone } from '../ui/time';
import { sessionQuery } from '../api/session';
import { formatBytes } from '../ui/number';
import { NOT_UNDERSTOOD, skippedAbout, skippedName, skippedText } from '../ui/skipped';
import type { SenderKey } from './sendersParams';
import { framesQuery, skippedQuery } from './sendersQueries';
import classes from './Panel.module.css';

const BYTES_MAX = 1024;

const looks = ['Text', 'Hex'] as const;

const names: Record<SenderFrame['recognised'], string> = {
  rfc5424: 'RFC 5424',
  rfc3164: 'RFC 3164',
  other: 'no syslog header',
  unparsed: 'not recognised',
};

export function LastFrames({ sender: { source, host } }: { sender: SenderKey }) {
  const { data: frames, error, refetch, isFetching } = useQuery(framesQuery({ source, host }));
  const [look, setLook] = useState<string>('Text');
  return (
    <section className={classes.part} aria-label="Last messages">
      <div className={classes.tools}>
        <h3>Last messages as they came</h3>
        <ActionIcon aria-label="Ask again" loading={isFetching} onClick={() => void refetch()}>
          <IconRefresh size={16} />
        </ActionIcon>
        <SegmentedControl data={[...looks]} value={look} onChange={setLook} />
      </div>
      {error !== null && (
        <PartLoadError what="Messages" error={error} onRetry={() => void refetch()} />
      )}
      {frames === undefined && error === null && <Skeleton height={80} />}
      {frames?.length === 0 && (
        <p className="dimmed">No message of it is stored: they are dropped, or have expired.</p>
      )}
      <ol className={classes.frames}>
        {frames?.map((frame) => (
          <Frame key={frame.id} frame={frame} isHex={look === 'Hex'} />
        ))}
      </ol>
    </section>
  );
}

function Frame({ frame, isHex }: { frame: SenderFrame; isHex: boolean }) {
  const [zone] = useZone();
  const bytes = Uint8Array.from(atob(frame.bytes), (character) => character.charCodeAt(0));
  const shown = bytes.subarray(0, BYTES_MAX);
  const rest = bytes.length - shown.length;
  const fields = Object.entries(frame.fields).filter(([name]) => name !== 'message');
  return (
    <li className={classes.frame}>
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

const SKIPPED_PIECES_BYTES_MAX = 1024;

const looksSkippedPieces = ['Text', 'Hex'] as const;

/** The last bytes from an address that no message holds, as text or bytes. */
export function SkippedPieces({ skipped: { source, host, reasons } }: { skipped: SkippedSender }) {
  const { data: session } = useQuery(sessionQuery);
  const mayLook = session?.user?.role === 'admin' || session?.user?.role === 'operator';
  const query = { ...skippedQuery({ source, host }), enabled: mayLook };
  const { data: pieces, error, refetch, isFetching } = useQuery(query);
  const [look, setLook] = useState<string>('Text');
  return (
    <section className={classes.part} aria-label="In no message">
      <div className={classes.tools}>
        <h3>Bytes in no message</h3>
        {mayLook && (
          <>
            <ActionIcon aria-label="Ask again" loading={isFetching} onClick={() => void refetch()}>
              <IconRefresh size={16} />
            </ActionIcon>
            <SegmentedControl data={[...looksSkippedPieces]} value={look} onChange={setLook} />
          </>
        )}
      </div>
      <p className="dimmed">
        {skippedText(reasons)}, of all that {host} sent.
        {!mayLook && ' Operators can look at the last of them.'}
      </p>
      {error !== null && (
        <PartLoadError what="Bytes" error={error} onRetry={() => void refetch()} />
      )}
      {mayLook && pieces === undefined && error === null && <Skeleton height={80} />}
      {pieces?.length === 0 && (
        <p className="dimmed">
          None came since the server started, which keeps only the last ones.
        </p>
      )}
      <ol className={classes.frames}>
        {pieces?.map((piece) => (
          <Piece key={`${piece.received} ${piece.reason}`} piece={piece} isHex={look === 'Hex'} />
        ))}
      </ol>
    </section>
  );
}

function Piece({ piece, isHex }: { piece: SkippedPiece; isHex: boolean }) {
  const [zone] = useZone();
  const { received, reason, bytes, head } = piece;
  const shown = Uint8Array.from(atob(head), (character) => character.charCodeAt(0));
  const rest = bytes - shown.length;
  return (
    <li className={classes.frame}>
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
          {isHex ? hexRows(shown, SKIPPED_PIECES_BYTES_MAX, 8) : new TextDecoder().decode(shown)}
          {rest > 0 && `\n… and ${formatBytes(rest)} more`}
        </pre>
      )}
    </li>
  );
}
