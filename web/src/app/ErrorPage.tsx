/**
 * The page for caught errors: a bug in the console itself, not a mistake of the user; or a page of
 * an older console.
 */
import { Anchor, Button, Group } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { CodeGone } from '../api/code';
import { Copy } from '../ui/Copy';
import { Empty } from '../ui/Empty';
import { Notice } from '../ui/Notice';

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  if (error instanceof CodeGone) return <Updated />;
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  const details = `${window.location.href}\n${stack ?? message}`;
  return (
    <Empty isPage title="Something went wrong on this page">
      <Notice tone="error" title={message}>
        This is a mistake in the console; the server and its messages are not affected.
      </Notice>
      <Group gap={8}>
        <Button variant="filled" onClick={reset}>
          Try again
        </Button>
        <Button onClick={() => window.location.reload()}>Reload</Button>
        <Copy what="details" text={details} />
      </Group>
    </Empty>
  );
}

/** The page shown if a part of the code no longer exists on the server. */
function Updated() {
  return (
    <Empty isPage title="The console was updated">
      <p>This page is of an older version than the server. Reload it to go on.</p>
      <Button variant="filled" onClick={() => window.location.reload()}>
        Reload
      </Button>
    </Empty>
  );
}

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
