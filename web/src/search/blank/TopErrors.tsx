/** The programs that fail most, and whether they fail more than before. */
import { IconCircleX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../../ui/number';
import { useKeys } from '../../ui/useKeys';
import { type AnswerProps, Card, CardRow, ROWS } from './Card';
import { changeOf, seriesOf } from './answers';
import { ERRORS, beforeQuery, overTimeQuery } from './blankQueries';
import classes from './Blank.module.css';

export function TopErrors({ state, go }: AnswerProps) {
  const { data, error, refetch } = useQuery(overTimeQuery(state, ERRORS, 'program'));
  const { data: before } = useQuery(beforeQuery(state, ERRORS));
  const top = data?.values ?? [];
  const countBefore = (program: string) =>
    before === undefined
      ? undefined
      : (before.program.find(({ value }) => value === program)?.count ?? 0);
  const all = () => go({ op: 'add', text: ERRORS });
  useKeys({ 'Alt-1': { does: 'Top errors', run: all } });
  const [first] = top;
  return (
    <Card
      title="Top errors"
      icon={<IconCircleX size={16} />}
      keys="Alt-1"
      figure={data && formatCount(data.total)}
      says={
        first === undefined
          ? 'errors in this range'
          : `errors, ${formatCount(first.count)} of them from ${first.value || '(empty)'}`
      }
      error={error}
      onRetry={() => void refetch()}
      foot={
        data !== undefined && data.total > 0
          ? { text: `Show the ${formatCount(data.total)} errors`, onOpen: all }
          : undefined
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
              tone="error"
              onOpen={() =>
                go({ op: 'add', text: ERRORS }, { op: 'include', field: 'program', value })
              }
            />
          ))}
      {data?.total === 0 && <p className={classes.none}>No errors.</p>}
    </Card>
  );
}
