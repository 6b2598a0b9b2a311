import { FileButton, Button, Stack, Text } from '@mantine/core';
import { useState, type DragEvent, type ReactNode } from 'react';
import classes from './file-drop.module.css';

interface FileDropProps {
  /** Accepted file name extensions: ".csv,.json". */
  accept: string;
  onSelect: (file: File) => void;
  children: ReactNode;
}

/** Renders an area that accepts a dropped file, with a button that selects one. */
export function FileDrop({ accept, onSelect, children }: FileDropProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onSelect(file);
  };
  return (
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Stack align="center" gap="xs">
        <FileButton accept={accept} onChange={(file) => file && onSelect(file)}>
          {(props) => (
            <Button variant="default" {...props}>
              Select file
            </Button>
          )}
        </FileButton>
        <Text c="dimmed">or drop it here</Text>
        {children}
      </Stack>
    </div>
  );
}
