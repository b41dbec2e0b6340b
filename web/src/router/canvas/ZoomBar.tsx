/** The zoom of the canvas, and the buttons that change it. */
import { ActionIcon } from '@mantine/core';
import { IconMaximize, IconMinus, IconPlus } from '@tabler/icons-react';
import { Panel, useReactFlow, useViewport } from '@xyflow/react';
import classes from './Canvas.module.css';

export function ZoomBar({ onFit }: { onFit: () => void }) {
  const { zoomIn, zoomOut } = useReactFlow();
  const { zoom } = useViewport();
  return (
    <Panel position="bottom-left" className={classes.zoom ?? ''}>
      <ActionIcon aria-label="Zoom out" onClick={() => void zoomOut()}>
        <IconMinus size={14} />
      </ActionIcon>
      <span>{Math.round(100 * zoom)} %</span>
      <ActionIcon aria-label="Zoom in" onClick={() => void zoomIn()}>
        <IconPlus size={14} />
      </ActionIcon>
      <ActionIcon aria-label="Fit the width" onClick={onFit}>
        <IconMaximize size={14} />
      </ActionIcon>
    </Panel>
  );
}
