/** Hosts that were heard, and are not any more. */
import { UnstyledButton } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatCount, formatMessages } from '../../ui/number';
import { presets } from '../../ui/range';
import { formatAge } from '../../ui/time';
import { useKeys } from '../../ui/useKeys';
import { type AnswerProps, Card, ROWS } from './Card';
import { type CountedValue, silentHosts } from './answers';
import { beforeQuery, lastHeardQuery, latelyQuery, nowQuery } from './blankQueries';
import { silenceOf } from './ranges';
import classes from './Blank.module.css';

export function SilentHosts({ state, go }: AnswerProps) {
  const now = useQuery(nowQuery(state));
  const before = useQuery(beforeQuery(state));
  const lately = useQuery(latelyQuery(state));
  const silence = silenceOf(state.range);
  const isKnown = now.data !== undefined && lately.data !== undefined;
  const heard = [now.data?.host ?? [], before.data?.host ?? []];
  const silent = isKnown ? silentHosts(heard, lately.data.host) : [];
  const hosts = new Set(heard.flat().map(({ value }) => value)).size;
  const all = () => go({ op: 'top', field: 'host', count: 20 });
  useKeys({ 'Alt-3': { does: 'Silent hosts', run: all } });
  return (
    <Card
      title="Silent hosts"
      icon={<IconClock size={16} />}
      keys="Alt-3"
      figure={silence === null ? '–' : isKnown ? formatCount(silent.length) : undefined}
      says={
        silence === null
          ? 'Choose a range that ends now.'
          : `of ${formatCount(hosts)} sent nothing in the ${nameOf(silence)}`
      }
      error={now.error ?? lately.error}
      onRetry={() => void Promise.all([now.refetch(), lately.refetch()])}
      foot={{ text: 'Count all hosts', onOpen: all }}
    >
      {silent.slice(0, ROWS).map((host) => (
        <SilentRow
          key={host.value}
          host={host}
          state={state}
          onOpen={() => go({ op: 'include', field: 'host', value: host.value })}
        />
      ))}
      {isKnown && silent.length === 0 && silence !== null && (
        <p className={classes.none}>
          {hosts === 0 ? 'No host is named in this range.' : 'All hosts are sending.'}
        </p>
      )}
    </Card>
  );
}

type RowProps = Pick<AnswerProps, 'state'> & { host: CountedValue; onOpen: () => void };

function SilentRow({ host: { value, count }, state, onOpen }: RowProps) {
  const { data: heard, dataUpdatedAt } = useQuery(lastHeardQuery(state, value));
  return (
    <UnstyledButton className={classes.row} onClick={onOpen}>
      <span className="truncate" title={value}>
        {value}
      </span>
      <span className="dimmed">{formatMessages(count)}</span>
      <span />
      <span className={classes.change} data-tone="worse">
        {heard != null && formatAge(heard, dataUpdatedAt)}
      </span>
    </UnstyledButton>
  );
}

function nameOf(silence: string): string {
  const preset = presets.find(({ span }) => span === silence)?.label.toLowerCase();
  return preset ?? `last ${Number.parseInt(silence, 10)} minutes`;
}
