/** The host that sends most, and whether that is new. */
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatMessages } from '../../ui/number';
import { useKeys } from '../../ui/useKeys';
import { type AnswerProps, Card, CardRow, ROWS } from './Card';
import { changeOf, seriesOf, shareOf } from './answers';
import { beforeQuery, overTimeQuery } from './blankQueries';

export function NoisiestHost({ state, go }: AnswerProps) {
  const { data, error, refetch } = useQuery(overTimeQuery(state, '*', 'host'));
  const { data: before } = useQuery(beforeQuery(state));
  const top = data?.values ?? [];
  const [first] = top;
  const countBefore = (host: string) =>
    before === undefined
      ? undefined
      : (before.host.find(({ value }) => value === host)?.count ?? 0);
  const open = (value: string) => go({ op: 'include', field: 'host', value });
  useKeys({ 'Alt-4': { does: 'Noisiest host', run: () => first && open(first.value) } });
  return (
    <Card
      title="Noisiest host"
      icon={<IconChartBar size={16} />}
      keys="Alt-4"
      figure={data && (first === undefined ? '–' : first.value || '(empty)')}
      says={
        data === undefined
          ? ''
          : first === undefined
            ? 'There is nothing to search in this range.'
            : `sends ${shareOf(first.count, data.total)} of everything, ${formatMessages(first.count)}`
      }
      error={error}
      onRetry={() => void refetch()}
      foot={
        first && {
          text: `What ${first.value || 'it'} is sending`,
          onOpen: () => open(first.value),
        }
      }
    >
      {data !== undefined &&
        top
          .slice(0, ROWS)
          .map(({ value, count }) => (
            <CardRow
              key={value}
              name={value}
              count={count}
              counts={seriesOf(data, value)}
              change={changeOf(count, countBefore(value))}
              onOpen={() => open(value)}
            />
          ))}
    </Card>
  );
}
