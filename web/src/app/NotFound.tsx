import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/Empty';

export function NotFound() {
  return (
    <Empty isPage title="There is no such page">
      <p>
        The address may be mistyped or from another version.{' '}
        <Anchor component={Link} to="/search" underline="always">
          Go to Search
        </Anchor>
      </p>
    </Empty>
  );
}
