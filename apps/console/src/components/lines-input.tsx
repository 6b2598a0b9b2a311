import { Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';

interface LinesInputProps {
  label: string;
  description?: ReactNode;
  placeholder?: string;
  value: string[];
  onChange: (lines: string[]) => void;
  error?: ReactNode;
  readOnly?: boolean;
}

const splitLines = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ),
];

/**
 * Renders an input for a list of short strings, one per line, so that the list can be pasted, sorted and read as a
 * whole.
 */
export function LinesInput({ value, onChange, description, ...props }: LinesInputProps): ReactNode {
  const [text, setText] = useState(value.join('\n'));
  // The input stays exactly as typed, unless a different value is set from outside.
  const isSame = splitLines(text).join('\n') === value.join('\n');
  return (
    <Textarea
      {...props}
      description={description}
      autosize
      minRows={2}
      maxRows={10}
      spellCheck={false}
      autoComplete="off"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={isSame ? text : value.join('\n')}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(splitLines(event.currentTarget.value));
      }}
    />
  );
}
