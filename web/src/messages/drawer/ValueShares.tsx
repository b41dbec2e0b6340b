/** The values of a field among all messages of the search: what is unusual about this one, and what can be done with it. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { cut, visible } from '../../ui/message/text';
import { formatCount } from '../../ui/number';
import type { MessageState } from '../messageState';
import { type Shares, errorsQuery, shareOf, shareText, shownValues } from './shares';
import classes from './Shares.module.css';

const VALUE_CHARACTERS_MAX = 60;
/** A value that is this much more usual among errors than elsewhere is shown in their colour. */
const SUSPECT_FACTOR = 1.15;

export type FieldActions = {
  onOnly: (field: string, value: string) => void;
  onExclude: (field: string, value: string) => void;
  onTop: (field: string, value: string) => void;
  /** Not there on a page without a histogram. */
  onBreakDown: ((field: string) => void) | undefined;
};

type Props = FieldActions & { state: MessageState; shares: Shares; field: string; value: string };

export function ValueShares({ state, shares, field, value, ...on }: Props) {
  const { data: errors } = useQuery(errorsQuery(state, field, value, shares));
  const facet = shares.fields[field];
  const share = shareOf(shares, field, value);
  const shown = facet === undefined ? [] : shownValues(facet, value);
  const most = Math.max(1, ...shown.map(({ count }) => count));
  return (
    <div className={classes.distribution} role="group" aria-label={`Values of ${field}`}>
      <p>
        <b>{visible(cut(value, VALUE_CHARACTERS_MAX).text)}</b>
        {share !== null && ` is ${shareText(share)} here`}
        {errors !== undefined && errors !== null && share !== null && (
          <span data-suspect={errors > share.part * SUSPECT_FACTOR}>
            , {shareText({ part: errors, atMost: false })} of errors
          </span>
        )}
      </p>
      <ul>
        {shown.map((one) => (
          <li key={one.value} data-own={one.value === value}>
            <span className={classes.name} title={one.value}>
              {visible(cut(one.value, VALUE_CHARACTERS_MAX).text)}
            </span>
            <span className={classes.bar} style={{ width: `${(one.count / most) * 100}%` }} />
            <span>{formatCount(one.count)}</span>
            <span>{shareText({ part: one.count / Math.max(1, shares.total), atMost: false })}</span>
          </li>
        ))}
      </ul>
      <div className="flex wrap gap4">
        <Button size="compact-xs" variant="default" onClick={() => on.onOnly(field, value)}>
          Only this
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => on.onExclude(field, value)}>
          Exclude
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => on.onTop(field, value)}>
          Top by {field === 'host' ? 'program' : 'host'}
        </Button>
        {on.onBreakDown !== undefined && (
          <Button size="compact-xs" variant="default" onClick={() => on.onBreakDown?.(field)}>
            Break down
          </Button>
        )}
      </div>
    </div>
  );
}
