/** Before anything is asked: what the range looks like, and four answers that lead to their messages in one click. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatCount, formatMessages } from '../../ui/number';
import { useEdit } from '../../ui/query/useEdit';
import { rangeLabel } from '../../ui/range';
import { useZone } from '../../ui/time';
import { useKeys } from '../../ui/useKeys';
import type { SearchState } from '../searchParams';
import { NewPrograms } from './NewPrograms';
import { NoisiestHost } from './NoisiestHost';
import { SilentHosts } from './SilentHosts';
import { Spark } from '../../ui/chart/Spark';
import { RecentSearches } from './RecentSearches';
import { TopErrors } from './TopErrors';
import { seriesOf } from './answers';
import { nowQuery, overTimeQuery } from './blankQueries';
import type { Go } from './Card';
import classes from './Blank.module.css';

type Props = {
  state: SearchState;
  onAsk: (part: Partial<SearchState>) => void;
  /** The first part of the page, if there is anything to show. */
  children?: ReactNode;
};

export function BlankPage({ state, onAsk, children }: Props) {
  const edit = useEdit('');
  const go: Go = (...edits) => edit(edits, (query) => onAsk({ query }));
  const showAll = () => onAsk({ query: '*' });
  useKeys({ '*': { does: 'Show all messages', run: showAll } });
  return (
    <div className={classes.page}>
      <div className={classes.inner}>
        {children}
        <Whole state={state} onShowAll={showAll} />
        <div className={classes.cards}>
          <TopErrors state={state} go={go} />
          <NewPrograms state={state} go={go} />
          <SilentHosts state={state} go={go} />
          <NoisiestHost state={state} go={go} />
        </div>
        <RecentSearches onAsk={onAsk} state={state} />
      </div>
    </div>
  );
}

type WholeProps = Pick<Props, 'state'> & { onShowAll: () => void };

function Whole({ state, onShowAll }: WholeProps) {
  const [zone] = useZone();
  const { data: all } = useQuery(overTimeQuery(state, '*', 'host'));
  const { data: values } = useQuery(nowQuery(state));
  const { kind } = state.range;
  const label = rangeLabel(state.range, zone);
  const hosts = values?.host.filter(({ value }) => value !== '').length;
  return (
    <div className={classes.top}>
      <div>
        <h2>{kind === 'last' ? `The ${label.toLowerCase()}` : label}</h2>
        <p>
          {all === undefined || hosts === undefined
            ? 'Counting…'
            : `${formatMessages(all.total)} from ${formatCount(hosts)} ${hosts === 1 ? 'host' : 'hosts'}.`}{' '}
          Open an answer, or just type.
        </p>
      </div>
      <Button variant="default" ml="auto" onClick={onShowAll}>
        Show all messages
      </Button>
      {all !== undefined && all.total > 0 && (
        <div className={classes.whole}>
          <Spark counts={seriesOf(all)} isLarge />
        </div>
      )}
    </div>
  );
}
