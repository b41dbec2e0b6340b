/** The document as a canvas, as lists or as text. A narrow window shows lists in place of the canvas. */
import { Skeleton } from '@mantine/core';
import { Suspense, lazy } from 'react';
import { fetched } from '../api/code';
import type { DocumentProblem, RouterStatus } from '../api/model';
import { Notice } from '../ui/Notice';
import { TextView } from './TextView';
import type { CardActions } from './canvas/cardData';
import type { MeasuredRates } from './canvas/measure';
import type { Shares } from './canvas/shares';
import type { ItemPlace, RouterDocument, Section } from './document';
import { ListView } from './list/ListView';
import type { DestinationTask, RouterView } from './routerParams';
import { itemsOf } from './textItems';
import classes from './RouterPage.module.css';

const Canvas = lazy(() => fetched(() => import('./canvas/Canvas')));

type Props = {
  /** Null while the draft is a text that cannot be read. */
  document: RouterDocument | null;
  text: string | null;
  status: RouterStatus | undefined;
  /** The document that is live. */
  live: RouterDocument;
  shares: Shares;
  measured: MeasuredRates | undefined;
  problems: readonly DocumentProblem[];
  /** Those that have a place in the text. */
  marks: readonly DocumentProblem[];
  warnings: readonly string[];
  view: RouterView;
  canEdit: boolean;
  isNarrow: boolean;
  lit: ReadonlySet<string> | null;
  onShow: (item: ItemPlace) => void;
  onShowPath: (path: string) => void;
  onAdd: (section: Section) => void;
  actions: CardActions;
  onOpen: (task: DestinationTask) => void;
  onWrite: (text: string) => void;
};

export function Views(props: Props) {
  const {
    document,
    text,
    status,
    shares,
    problems,
    marks,
    warnings,
    view,
    canEdit,
    isNarrow,
    lit,
  } = props;
  if (view.mode === 'text') {
    return (
      <TextView
        text={text}
        marks={marks}
        problems={problems}
        itemAt={itemsOf(document, text === null ? null : { kind: 'toml', text })}
        canEdit={canEdit}
        onShowPath={props.onShowPath}
        onWrite={props.onWrite}
      />
    );
  }
  if (document === null) {
    return (
      <div className={classes.text}>
        <Notice tone="caution" title="The text cannot be read as a document">
          Correct it in the Text view; then it is shown here again.
        </Notice>
      </div>
    );
  }
  const shared = { document, status, shares, problems, warnings, onShow: props.onShow };
  if (view.mode === 'list' || isNarrow) {
    return (
      <ListView
        {...shared}
        live={props.live}
        measured={props.measured}
        shown={view.item}
        canEdit={canEdit}
        onAdd={props.onAdd}
        onMove={props.actions.onMove}
        onOpen={props.onOpen}
      />
    );
  }
  return (
    <Suspense fallback={<Skeleton height={320} m={24} aria-label="Loading" />}>
      <Canvas
        {...shared}
        live={props.live}
        measured={props.measured}
        item={view.item}
        lit={lit}
        onAdd={canEdit ? props.onAdd : null}
        actions={canEdit ? props.actions : null}
      />
    </Suspense>
  );
}
