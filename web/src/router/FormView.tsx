/** The document as a flow from left to right; each part of it opens its form next to the flow. */
import type { DocumentProblem, RouterStatus } from '../api/model';
import { Flow } from './Flow';
import { ItemPanel } from './ItemPanel';
import { type ItemPlace, type RouterDocument, type Section, itemAt, nounOf } from './document';
import { type Edit, addIndex, freeId } from './draft';
import { newItem } from './fields';
import classes from './FormView.module.css';

type Props = {
  document: RouterDocument;
  status: RouterStatus | undefined;
  problems: readonly DocumentProblem[];
  /** Sentences of the server. */
  warnings: readonly string[];
  canEdit: boolean;
  item: ItemPlace | null;
  onShow: (item: ItemPlace | null) => void;
  onEdit: (edit: Edit) => void;
};

export function FormView(props: Props) {
  const { document, status, problems, warnings, canEdit, item, onShow, onEdit } = props;
  const shown = item === null ? undefined : itemAt(document, item);
  const add = (section: Section) => {
    const id = freeId(document, nounOf(section).toLowerCase());
    onShow({ section, index: addIndex(document, section) });
    onEdit({ type: 'add', section, item: newItem(section, id) });
  };
  return (
    <div className={classes.view} data-item={shown !== undefined}>
      <div className={classes.flow}>
        <Flow
          document={document}
          status={status}
          problems={problems}
          warnings={warnings}
          shown={item}
          onShow={onShow}
          onAdd={canEdit ? add : null}
        />
      </div>
      {item !== null && shown !== undefined && (
        <ItemPanel
          key={`${item.section}-${item.index}`}
          document={document}
          place={item}
          item={shown}
          problems={problems}
          canEdit={canEdit}
          onClose={() => onShow(null)}
          onShow={onShow}
          onEdit={onEdit}
        />
      )}
    </div>
  );
}
