/** The fields of all matching messages, with their values and how often each occurs. */
import { ActionIcon, Button, Drawer, UnstyledButton } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconListDetails } from '@tabler/icons-react';
import { memo } from 'react';
import { FieldGroups } from './FieldGroups';
import classes from './Facets.module.css';
import type { FacetsProps } from './field';
import { useBrowserState } from '../../ui/useBrowserState';

/** Drawn again when what it shows changes: a page is drawn a dozen times while its answers come in. */
export const Facets = memo(function Facets(props: FacetsProps) {
  const isNarrow = useMediaQuery('(max-width: 960px), (max-height: 639px)');
  const [isShown, setShown] = useBrowserState({ key: 'logstead-fields', defaultValue: true });
  if (isNarrow) return <Sheet {...props} />;
  if (!isShown) {
    return (
      <UnstyledButton className={classes.opener} onClick={() => setShown(true)}>
        <IconListDetails size={16} aria-hidden />
        <span>Fields</span>
      </UnstyledButton>
    );
  }
  const hide = (
    <ActionIcon size={24} aria-label="Hide fields" onClick={() => setShown(false)}>
      <IconLayoutSidebarLeftCollapse size={16} />
    </ActionIcon>
  );
  return (
    <aside className={classes.sidebar} aria-label="Fields">
      <FieldGroups {...props} action={hide} />
    </aside>
  );
});

/** Stands in for the sidebar where there is no room for it. */
function Sheet(props: FacetsProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        className={classes.sheetButton ?? ''}
        variant="default"
        leftSection={<IconListDetails size={16} />}
        onClick={open}
      >
        Fields
      </Button>
      <Drawer opened={opened} onClose={close} title="Fields" size={320} padding={12}>
        <div className={classes.sheet}>
          <FieldGroups {...props} />
        </div>
      </Drawer>
    </>
  );
}
