/** The document as a canvas, as lists or as text. A narrow window shows lists in place of the canvas. */
import { Skeleton } from '@mantine/core';
import { Suspense, lazy, useState } from 'react';
import { fetched } from '../api/code';
import type { DocumentProblem, RouterStatus } from '../api/model';
import { Notice } from '../ui/Notice';
import type { CardActions } from './canvas/cardData';
import type { MeasuredRates } from './canvas/measure';
import type { Shares } from './canvas/shares';
import type { Item, ItemPlace, RouterDocument, Section } from './document';
import { ListView } from './list/ListView';
import type { DestinationTask, RouterView } from './routerParams';
import { itemsOf } from './textItems';
import { ProblemList } from './ProblemList';
import { completeToml } from './completion';
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

const TomlEditor = lazy(() => fetched(() => import('../ui/editor/TomlEditor')));

type TextViewProps = {
  text: string | null;
  /** Those that have a place in the text. */
  marks: readonly DocumentProblem[];
  problems: readonly DocumentProblem[];
  /** The document that the names of problems are read from. */
  itemAt: (place: ItemPlace) => Item | undefined;
  canEdit: boolean;
  onShowPath: (path: string) => void;
  onWrite: (text: string) => void;
};

/** The document as text, in an editor that knows what may be written where. Problems are docked below it. */
function TextView(props: TextViewProps) {
  const { text, marks, problems, itemAt, canEdit, onShowPath, onWrite } = props;
  const [shown, show] = useState<DocumentProblem | null>(null);
  return (
    <div className={classes.text} data-docked>
      {text === null ? (
        <Notice tone="caution" title="The draft cannot be written as text yet">
          Correct what is listed below in the form; then its text is shown here.
        </Notice>
      ) : (
        <Suspense fallback={<Skeleton height={320} aria-label="Loading" />}>
          <TomlEditor
            label="Router document"
            value={text}
            marks={marks}
            readOnly={!canEdit}
            offersAt={completeToml}
            caret={shown}
            onChange={onWrite}
          />
        </Suspense>
      )}
      {problems.length > 0 && (
        <section className={classes.dock} aria-label="Problems" tabIndex={0}>
          <ProblemList
            problems={problems}
            itemAt={itemAt}
            onShow={(problem) => {
              // A copy: asked for again, it leads there again.
              if (text !== null && problem.line !== undefined) show({ ...problem });
              else onShowPath(problem.path);
            }}
          />
        </section>
      )}
    </div>
  );
}
