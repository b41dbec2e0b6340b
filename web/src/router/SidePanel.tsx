/** The panel beside the views: the form of an item, or the path of a message. */
import type { DocumentProblem, RouterStatus } from '../api/model';
import { ItemPanel } from './ItemPanel';
import type { MeasuredRates } from './canvas/measure';
import type { Shares } from './canvas/shares';
import { type ItemPlace, type RouterDocument, isSamePlace, itemAt } from './document';
import type { Content, Edit } from './draft/edits';
import { RouteEditor } from './editor/RouteEditor';
import type { RouterView } from './routerParams';
import type { Trace } from '../api/query';
import { TracePanel } from './trace/TracePanel';
import classes from './RouterPage.module.css';

type Props = {
  document: RouterDocument | null;
  live: RouterDocument;
  draft: Content | null;
  status: RouterStatus | undefined;
  shares: Shares;
  measured: MeasuredRates | undefined;
  problems: readonly DocumentProblem[];
  warnings: readonly string[];
  view: RouterView;
  canEdit: boolean;
  /** The item that was added just now. */
  added: ItemPlace | null;
  onView: (part: Partial<RouterView>) => void;
  onEdit: (edit: Edit, mark?: string | null) => void;
  onTrace: (trace: Trace | null) => void;
};

export function SidePanel(props: Props) {
  const { document, draft, status, problems, warnings, view, canEdit, onView, onEdit } = props;
  if (document === null || view.mode === 'text') return null;
  if (view.trace !== null) {
    return (
      <div className={classes.side}>
        <TracePanel
          key={view.trace}
          id={view.trace}
          document={document}
          draft={draft}
          onTrace={props.onTrace}
          onClose={() => onView({ trace: null })}
        />
      </div>
    );
  }
  const place = view.item;
  const item = place === null ? undefined : itemAt(document, place);
  if (place === null || item === undefined) return null;
  const isNew = isSamePlace(props.added, place);
  const close = () => onView({ item: null, step: null });
  return (
    <div className={classes.side}>
      {place.section === 'routes' ? (
        <RouteEditor
          // A new route may stand where the one stood that was open.
          key={`${place.index} ${String(isNew)}`}
          {...{ document, place, status, problems, warnings, canEdit, isNew, onEdit }}
          live={props.live}
          shares={props.shares}
          measured={props.measured}
          route={item}
          step={view.step}
          onStep={(step) => onView({ step })}
          onShow={(next) => onView({ item: next })}
          onClose={close}
        />
      ) : (
        <ItemPanel
          key={`${place.section}-${place.index}`}
          {...{ place, item, problems, status, canEdit, isNew, onEdit }}
          measured={props.measured}
          onClose={close}
          onOpen={(open) => onView({ open })}
        />
      )}
    </div>
  );
}
