/** The dialog of what is done about a destination. */
import type { DestinationTask } from '../routerParams';
import { ListDialog } from './ListDialog';
import { ReplayDialog } from './ReplayDialog';

type Props = DestinationTask & { canEdit: boolean; onClose: () => void };

export function TaskDialog({ task, id, canEdit, onClose }: Props) {
  switch (task) {
    case 'queue':
    case 'quarantine':
      return <ListDialog list={task} id={id} canEdit={canEdit} onClose={onClose} />;
    case 'replay':
      return <ReplayDialog id={id} onClose={onClose} />;
  }
}
