import { Alert, Group, Select, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Delimiter } from '../../../../packages/cli/src/console-shared/parse-csv';
import { Icon } from '../components/icon';
import { UntrustedText } from '../components/untrusted-text';
import { FileDrop } from './file-drop';
import { describeFileError, readImportFile, type FileFormat, type ImportFile } from './import-file';

const encodings = [
  { value: 'windows-1252', label: 'Windows-1252 (Western Europe)' },
  { value: 'windows-1250', label: 'Windows-1250 (Central Europe)' },
  { value: 'windows-1251', label: 'Windows-1251 (Cyrillic)' },
  { value: 'iso-8859-15', label: 'ISO 8859-15 (Western Europe)' },
  { value: 'macintosh', label: 'Mac OS Roman' },
  { value: 'shift_jis', label: 'Shift JIS (Japanese)' },
  { value: 'gb18030', label: 'GB 18030 (Chinese)' },
  { value: 'euc-kr', label: 'EUC-KR (Korean)' },
];

const delimiterNames: Record<Delimiter, string> = { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab' };

interface FileChoiceProps {
  file: ImportFile | null;
  onChange: (file: ImportFile | null) => void;
}

/**
 * Renders the file input, which reads a selected file and rejects it if it cannot be imported. The operator can then
 * select the encoding and the delimiter.
 */
export function FileChoice({ file, onChange }: FileChoiceProps): ReactNode {
  const [selected, setSelected] = useState<File | null>(null);
  const [format, setFormat] = useState<FileFormat>({});
  const [error, setError] = useState<string | null>(null);
  const read = async (source: File, wanted: FileFormat): Promise<void> => {
    setSelected(source);
    setFormat(wanted);
    try {
      onChange(await readImportFile(source, wanted));
      setError(null);
    } catch (caught) {
      onChange(null);
      setError(describeFileError(caught));
    }
  };
  const isChosen = Object.keys(format).length > 0;
  return (
    <>
      <FileDrop accept=".ndjson,.jsonl,.csv,.tsv,.json" onSelect={(source) => void read(source, {})}>
        {file ? <FileDescription file={file} /> : <FormatHint />}
      </FileDrop>
      {error && (
        <Alert
          role="alert"
          color="red"
          icon={<Icon name="alert" size={20} />}
          title="This file cannot be imported"
        >
          <UntrustedText text={error} />
        </Alert>
      )}
      {selected && (error || isChosen) && (
        <FormatChoice
          isTable={/\.(csv|tsv)$/i.test(selected.name)}
          format={format}
          onChange={(wanted) => void read(selected, wanted)}
        />
      )}
    </>
  );
}

function FormatHint(): ReactNode {
  return (
    <Text size="sm" c="dimmed">
      NDJSON of any size, or CSV or JSON up to 50 MB. The first row of a CSV file contains the names of the
      fields, such as email, firstName and metadata.
    </Text>
  );
}

function FileDescription({ file }: { file: ImportFile }): ReactNode {
  const { delimiter, encoding } = file;
  return (
    <>
      <Text fw={600}>
        <UntrustedText text={file.name} />, {file.lines.toLocaleString('en')}{' '}
        {file.lines === 1 ? 'customer' : 'customers'}
      </Text>
      <Text size="sm" c="dimmed">
        Encoding: {encodings.find(({ value }) => value === encoding)?.label ?? encoding.toUpperCase()}
        {delimiter && `, delimiter: ${delimiterNames[delimiter].toLowerCase()}`}
      </Text>
    </>
  );
}

interface FormatChoiceProps {
  isTable: boolean;
  format: FileFormat;
  onChange: (format: FileFormat) => void;
}

function FormatChoice({ isTable, format, onChange }: FormatChoiceProps): ReactNode {
  const { encoding, delimiter } = format;
  return (
    <Group grow>
      <Select
        label="Encoding"
        placeholder="Detect"
        clearable
        data={encodings}
        value={encoding ?? null}
        onChange={(value) => onChange({ ...(value && { encoding: value }), ...(delimiter && { delimiter }) })}
      />
      {isTable && (
        <Select
          label="Delimiter"
          placeholder="Detect"
          clearable
          data={Object.entries(delimiterNames).map(([value, label]) => ({ value, label }))}
          value={delimiter ?? null}
          onChange={(value) =>
            onChange({ ...(encoding && { encoding }), ...(value && { delimiter: value as Delimiter }) })
          }
        />
      )}
    </Group>
  );
}
