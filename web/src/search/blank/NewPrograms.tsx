/** Programs that sent nothing in the range before: what was installed, renamed or broken. */
import { IconSparkles } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '../../ui/number';
import { useKeys } from '../../ui/useKeys';
import { type AnswerProps, Card, CardRow, ROWS } from './Card';
import { newValues, seriesOf } from './answers';
import { beforeQuery, nowQuery, overTimeQuery } from './blankQueries';
import { rangeBefore } from './ranges';
import classes from './Blank.module.css';

export function NewPrograms({ state, go }: AnswerProps) {
  const now = useQuery(nowQuery(state));
  const before = useQuery(beforeQuery(state));
  const { data: overTime } = useQuery(overTimeQuery(state, '*', 'program'));
  const canCompare = rangeBefore(state.range) !== null;
  const isKnown = now.data !== undefined && before.data !== undefined;
  const found = isKnown ? newValues(now.data.program, before.data.program) : [];
  const all = () => go({ op: 'top', field: 'program', count: 20 });
  useKeys({ 'Alt-2': { does: 'New programs', run: all } });
  return (
    <Card
      title="New programs"
      icon={<IconSparkles size={16} />}
      keys="Alt-2"
      figure={canCompare ? (isKnown ? formatCount(found.length) : undefined) : '–'}
      says={
        canCompare
          ? 'not seen in the range before'
          : 'This range has none before it to compare with.'
      }
      error={now.error ?? before.error}
      onRetry={() => void Promise.all([now.refetch(), before.refetch()])}
      foot={{ text: 'Count all programs', onOpen: all }}
    >
      {found.slice(0, ROWS).map(({ value, count }) => (
        <CardRow
          key={value}
          name={value}
          count={count}
          counts={overTime === undefined ? [] : seriesOf(overTime, value)}
          change={null}
          onOpen={() => go({ op: 'include', field: 'program', value })}
        />
      ))}
      {canCompare && isKnown && found.length === 0 && (
        <p className={classes.none}>
          {now.data.program.length === 0
            ? 'No program is named in this range.'
            : 'Every program was there before, too.'}
        </p>
      )}
    </Card>
  );
}
