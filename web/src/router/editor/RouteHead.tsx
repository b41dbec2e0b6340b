/** The head of a route's form: its position and name, and the actions on the whole route. */
import { Menu } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconPencil,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type Item, type ItemPlace, type RouterDocument, idOf } from '../document';
import type { Edit } from '../draft/edits';
import { useFocusOnNew } from '../useFocusOnNew';
import { focusCard } from '../useRouterKeys';
import { IconButton } from '../../ui/IconButton';
import { MenuItem } from '../../ui/MenuItem';
import { TextField } from '../../ui/Fields';
import classes from './Editor.module.css';

type Props = {
  document: RouterDocument;
  place: ItemPlace;
  route: Item;
  canEdit: boolean;
  /** Whether it has just been added: in that case its name is edited first. */
  isNew: boolean;
  /** The problem with its name. */
  error: string | undefined;
  onName: (name: string) => void;
  onShow: (place: ItemPlace) => void;
  onEdit: (edit: Edit) => void;
  onRemove: () => void;
  onClose: () => void;
  children: ReactNode;
};

export function RouteHead(props: Props) {
  const { place, route, canEdit, isNew, error, onClose, children } = props;
  const [isNaming, setNaming] = useState(isNew);
  const name = useFocusOnNew(isNaming);
  return (
    <div className={classes.head}>
      <span className={classes.order}>{place.index + 1}</span>
      {canEdit && (isNaming || error !== undefined) ? (
        <TextField
          ref={name}
          className="grow minWidth0"
          aria-label="Name"
          value={idOf(route)}
          error={error}
          onChange={props.onName}
          onBlur={() => setNaming(false)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') setNaming(false);
          }}
        />
      ) : (
        <div className="row gap2 grow minWidth0">
          <h2 className="truncate minWidth0" title={idOf(route)}>
            {idOf(route)}
          </h2>
          {canEdit && (
            <IconButton
              icon={IconPencil}
              iconSize={15}
              label="Rename"
              onClick={() => setNaming(true)}
            />
          )}
        </div>
      )}
      {children}
      {canEdit && <More {...props} />}
      <IconButton icon={IconX} label="Close" onClick={onClose} />
    </div>
  );
}

function More({ document, place, onShow, onEdit, onRemove }: Props) {
  const move = (to: number) => {
    onShow({ ...place, index: to });
    onEdit({ type: 'move', place, to });
    // The form is remounted now, and so are its buttons.
    focusCard({ ...place, index: to });
  };
  return (
    <Menu position="bottom-end" returnFocus={false} portalProps={{ target: '#content' }}>
      <Menu.Target>
        <IconButton icon={IconDots} label="More" />
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItem
          small
          icon={IconArrowUp}
          label="Move up"
          disabled={place.index === 0}
          onClick={() => move(place.index - 1)}
        />
        <MenuItem
          small
          icon={IconArrowDown}
          label="Move down"
          disabled={place.index === document.routes.length - 1}
          onClick={() => move(place.index + 1)}
        />
        <Menu.Divider />
        <MenuItem small icon={IconTrash} label="Remove route" color="red" onClick={onRemove} />
      </Menu.Dropdown>
    </Menu>
  );
}
