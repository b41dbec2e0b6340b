/** Every revision that was live, and the document as a file: out of the console, and into the draft. */
import { Button, FileButton, Group } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog';
import { Notice } from '../../ui/Notice';
import type { Live } from '../queries';
import { History } from './History';

/** The server takes no larger document. */
const UPLOAD_BYTES_MAX = 1_048_576;

type Props = {
  live: Live;
  shown: number | null;
  canEdit: boolean;
  onShow: (revision: number | null) => void;
  onImport: (toml: string) => void;
  onClose: () => void;
};

export function HistoryDialog({ live, shown, canEdit, onShow, onImport, onClose }: Props) {
  const [refused, setRefused] = useState<string | null>(null);
  const upload = async (file: File | null) => {
    if (file === null) return;
    if (file.size > UPLOAD_BYTES_MAX) {
      setRefused(`${file.name} is larger than 1 MiB, so it cannot be a router document.`);
      return;
    }
    onImport(await file.text());
  };
  return (
    <Dialog opened onClose={onClose} size="xl" title="History">
      <Group gap={8} mb={12}>
        <Button
          component="a"
          variant="default"
          href={`data:application/toml;charset=utf-8,${encodeURIComponent(live.toml)}`}
          download={`router-${live.revision}.toml`}
        >
          Export revision {live.revision}
        </Button>
        {canEdit && (
          <FileButton
            accept=".toml,application/toml,text/plain"
            onChange={(file) => void upload(file)}
          >
            {(props) => (
              <Button {...props} variant="default">
                Import into the draft…
              </Button>
            )}
          </FileButton>
        )}
      </Group>
      {refused !== null && <Notice tone="error" title={refused} />}
      <History live={live} shown={shown} canEdit={canEdit} onShow={onShow} />
    </Dialog>
  );
}
