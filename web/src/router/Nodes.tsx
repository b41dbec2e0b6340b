/** The items of one section, each a button that opens its form. */
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { DocumentProblem, RouterStatus } from '../api/model';
import { aboutOf, liveOf, rateLabel } from './about';
import { type ItemPlace, type RouterDocument, type Section, idOf, nounOf } from './document';
import { problemsOfItem } from './problems';
import classes from './Flow.module.css';

export type NodesProps = {
  document: RouterDocument;
  status: RouterStatus | undefined;
  problems: readonly DocumentProblem[];
  warnings: readonly string[];
  shown: ItemPlace | null;
  onShow: (place: ItemPlace) => void;
};

export function Nodes({
  document,
  status,
  problems,
  warnings,
  shown,
  onShow,
  section,
}: NodesProps & { section: Section }) {
  const items = document[section];
  if (items.length === 0) return <p className={classes.none}>None yet.</p>;
  return (
    <ul className={classes.nodes}>
      {items.map((item, index) => {
        const place = { section, index };
        const live = liveOf(status, section, idOf(item));
        const wrong = problemsOfItem(problems, place).length;
        const name = idOf(item) === '' ? 'without a name' : idOf(item);
        return (
          <li key={index}>
            <button
              type="button"
              className={classes.node}
              aria-label={`${nounOf(section)} ${name}`}
              aria-pressed={shown?.section === section && shown.index === index}
              data-bad={wrong > 0}
              onClick={() => onShow(place)}
            >
              <span className={classes.top}>
                <span className={classes.name}>
                  {section === 'routes' && <span className={classes.order}>{index + 1}</span>}
                  {name}
                </span>
                <span className={classes.rate}>{rateLabel(status, live)}</span>
              </span>
              <span className={classes.bottom}>
                <span className={classes.about}>{aboutOf(section, item, warnings)}</span>
                {wrong > 0 && <Trouble>{wrong === 1 ? '1 problem' : `${wrong} problems`}</Trouble>}
                {wrong === 0 && live?.trouble !== undefined && <Trouble>{live.trouble}</Trouble>}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Trouble({ children }: { children: ReactNode }) {
  return (
    <span className={classes.trouble}>
      <IconAlertTriangle size={14} aria-hidden /> {children}
    </span>
  );
}
