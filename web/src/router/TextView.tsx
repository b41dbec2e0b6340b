/** The document as text, in an editor that knows what may be written where. Problems are docked below it. */
import { Skeleton } from '@mantine/core';
import { Suspense, lazy, useState } from 'react';
import { fetched } from '../api/code';
import type { DocumentProblem } from '../api/model';
import { Notice } from '../ui/Notice';
import { ProblemList } from './ProblemList';
import { completeToml } from './completion';
import type { Item, ItemPlace } from './document';
import classes from './RouterPage.module.css';

const TomlEditor = lazy(() => fetched(() => import('../ui/editor/TomlEditor')));

type Props = {
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

export function TextView(props: Props) {
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
