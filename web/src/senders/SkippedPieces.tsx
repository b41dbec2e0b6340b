/** The last bytes from an address that no message holds, as text or bytes. */
import { ActionIcon, SegmentedControl, Skeleton } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SkippedPiece, SkippedSender } from '../api/model';
import { sessionQuery } from '../api/session';
import { hexRows } from '../messages/drawer/bytes';
import { PartLoadError } from '../ui/PartLoadError';
import { formatBytes } from '../ui/number';
import { NOT_UNDERSTOOD, skippedAbout, skippedName, skippedText } from '../ui/skipped';
import { formatTime, useZone } from '../ui/time';
import { skippedQuery } from './sendersQueries';
import classes from './Panel.module.css';

const BYTES_MAX = 1024;

const looks = ['Text', 'Hex'] as const;

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
            <SegmentedControl size="xs" data={[...looks]} value={look} onChange={setLook} />
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
      <ol className="stack gap8">
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
          {isHex ? hexRows(shown, BYTES_MAX, 8) : new TextDecoder().decode(shown)}
          {rest > 0 && `\n… and ${formatBytes(rest)} more`}
        </pre>
      )}
    </li>
  );
}
