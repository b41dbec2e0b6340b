/** The last messages of a sender as they came, as text or bytes, with what was read out of them. */
import { ActionIcon, SegmentedControl, Skeleton } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SenderFrame } from '../api/model';
import { PartLoadError } from '../ui/PartLoadError';
import { hexRows } from '../messages/drawer/bytes';
import { permalink } from '../messages/links';
import { formatTime, useZone } from '../ui/time';
import type { SenderKey } from './sendersParams';
import { framesQuery } from './sendersQueries';
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
        <SegmentedControl size="xs" data={[...looks]} value={look} onChange={setLook} />
      </div>
      {error !== null && (
        <PartLoadError what="Messages" error={error} onRetry={() => void refetch()} />
      )}
      {frames === undefined && error === null && <Skeleton height={80} />}
      {frames?.length === 0 && (
        <p className="dimmed">No message of it is stored: they are dropped, or have expired.</p>
      )}
      <ol className="stack gap8">
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
