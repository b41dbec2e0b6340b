/** Watch messages as they are stored: up to four tails side by side. */
import { type ReactNode, useCallback, useState } from 'react';
import { Notice } from '../ui/Notice';
import { useKeys } from '../ui/useKeys';
import { Highlights } from './Highlights';
import { TailPane } from './TailPane';
import { Tools } from './Tools';
import { TAILS_MAX, type TailState, withHighlight } from './tailParams';
import { useNotifications } from './useNotifications';
import { usePanes } from './usePanes';
import { useWrap } from './useWrap';
import classes from './TailPage.module.css';

type Props = {
  state: TailState;
  /** Where logspaces are chosen. */
  logspaces?: ReactNode;
  /** `replace` leaves no step in the browser's history. */
  onChange: (state: TailState, replace?: boolean) => void;
};

export function TailPage({ state, logspaces: picker, onChange }: Props) {
  const { queries, logspaces, highlights } = state;
  const [paused, setPaused] = useState(false);
  const [cleared, setCleared] = useState(0);
  const panes = usePanes(queries.length);
  const { tell, ...notifications } = useNotifications();
  const [wrap, toggleWrap] = useWrap();
  const following = panes.shown.every((pane) => pane.following);
  const pause = () => setPaused((was) => !was);
  const clear = () => setCleared((times) => times + 1);
  const followAll = () => panes.followAll(!following);
  const resume = useCallback(() => setPaused(false), []);
  useKeys({
    Space: { does: 'Pause or resume', run: pause },
    f: { does: 'Follow the newest, or stop', run: followAll },
    'Ctrl-l': { does: 'Clear', run: clear },
  });
  const ask = (at: number, query: string) => {
    resume();
    onChange({ ...state, queries: queries.with(at, query) });
  };
  const close = (at: number) => {
    panes.remove(at);
    onChange({ ...state, queries: queries.toSpliced(at, 1) });
  };
  const split = () => onChange({ ...state, queries: [...queries, queries.at(-1) ?? ''] });
  const highlight = (texts: TailState) => onChange(texts, true);
  return (
    <div className={classes.page}>
      <h1 className="unseen">Tail</h1>
      <p className="unseen" role="status">
        {paused ? 'Paused' : ''}
      </p>
      <div className={classes.bar}>
        {picker}
        <Highlights
          highlights={highlights}
          onAdd={(text) => highlight(withHighlight(state, text))}
          onRemove={(text) =>
            highlight({ ...state, highlights: highlights.filter((known) => known !== text) })
          }
        />
        <Tools
          paused={paused}
          following={following}
          wrap={wrap}
          notifications={{ ...notifications, tell }}
          onPause={pause}
          onFollow={followAll}
          onWrap={toggleWrap}
          onClear={clear}
          onSplit={queries.length < TAILS_MAX ? split : undefined}
        />
      </div>
      {notifications.problem !== null && <Notice tone="caution" title={notifications.problem} />}
      <div className={classes.panes} data-count={queries.length}>
        {panes.shown.map((pane, at) => (
          <TailPane
            key={pane.id}
            query={queries[at] ?? ''}
            logspaces={logspaces}
            highlights={highlights}
            number={queries.length === 1 ? null : at + 1}
            wrap={wrap}
            paused={paused}
            following={pane.following}
            cleared={cleared}
            onFollow={pane.follow}
            onResume={resume}
            onQuery={(query) => ask(at, query)}
            onClose={queries.length === 1 ? undefined : () => close(at)}
            onMatch={tell}
          />
        ))}
      </div>
    </div>
  );
}
