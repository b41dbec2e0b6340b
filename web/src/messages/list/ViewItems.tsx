/** The part of a view menu that every list has: the display of long messages, rows and repeats. */
import { Menu } from '@mantine/core';
import { useDensity, useFolding } from './listStyle';

type Props = { wrap: boolean; onWrap: (wrap: boolean) => void };

export function ViewItems({ wrap, onWrap }: Props) {
  const { density, setDensity } = useDensity();
  const [isFolding, setFolding] = useFolding();
  return (
    <>
      <Menu.CheckboxItem checked={wrap} onChange={onWrap}>
        Wrap long messages
      </Menu.CheckboxItem>
      <Menu.CheckboxItem
        checked={density === 'small'}
        onChange={(small) => setDensity(small ? 'small' : 'medium')}
      >
        Small rows
      </Menu.CheckboxItem>
      <Menu.CheckboxItem checked={isFolding} onChange={setFolding}>
        Fold repeats
      </Menu.CheckboxItem>
    </>
  );
}
