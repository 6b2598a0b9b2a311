import { ActionIcon, Anchor, Table, Tooltip } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from '../components/icon';
import classes from './chart.module.css';

/** `previous`: a dashed line, for values from the previous period. */
export type ChartColor = 'good' | 'bad' | 'warn' | 'accent' | 'calm' | 'previous';

/** One line in a chart, or the bars of one color. */
export interface Series {
  name: string;
  color: ChartColor;
  values: (number | null)[];
}

interface ChartFrameProps {
  title: string;
  series: Series[];
  /** Heading of the table's first column. */
  axisLabel: string;
  /** Cells in the first column, one for each value. */
  labels: string[];
  format: (value: number) => string;
  /** Returns the path that the label at an index links to in the table. */
  labelPath?: (index: number) => string;
  children: ReactNode;
}

/**
 * Renders a chart with its legend. A button shows the same data as a table, for screen readers and for exact
 * values.
 */
export function ChartFrame({
  title,
  series,
  axisLabel,
  labels,
  format,
  labelPath,
  children,
}: ChartFrameProps): ReactNode {
  const [isTable, setTable] = useState(false);
  const toggle = isTable ? 'Show as chart' : 'Show as table';
  return (
    <figure className={classes.chart} aria-label={title}>
      <figcaption className={classes.head}>
        <span className={classes.title}>{title}</span>
        {!isTable && series.length > 1 && (
          <span className={classes.legend}>
            {series.map(({ name, color }) => (
              <span key={name} className={`${classes.key} ${classes[color]}`}>
                {name}
              </span>
            ))}
          </span>
        )}
        <Tooltip label={toggle}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`${toggle}: ${title}`}
            onClick={() => setTable(!isTable)}
          >
            <Icon name={isTable ? 'chart' : 'table'} size={15} />
          </ActionIcon>
        </Tooltip>
      </figcaption>
      {isTable ? (
        <Table.ScrollContainer minWidth={260} mah={300}>
          <Table fz="xs" stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{axisLabel}</Table.Th>
                {series.map(({ name }) => (
                  <Table.Th key={name} ta="right">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {labels.map((label, index) => (
                <Table.Tr key={label}>
                  <Table.Td>
                    {labelPath ? (
                      <Anchor component={Link} to={labelPath(index)} inherit>
                        {label}
                      </Anchor>
                    ) : (
                      label
                    )}
                  </Table.Td>
                  {series.map(({ name, values }) => (
                    <Table.Td key={name} ta="right">
                      {formatValue(values[index], format)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : (
        children
      )}
    </figure>
  );
}

export const formatValue = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);
