import { Tooltip } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';

interface HoverTooltipProps {
  /** Returns the text. Called only while the tooltip is shown. */
  label: () => string;
  children: ReactNode;
}

/**
 * Renders a tooltip that exists only while the pointer is over its content. Thousands of Mantine tooltips in a list
 * would take seconds to render. The content must have an accessible name without the tooltip.
 */
export function HoverTooltip({ label, children }: HoverTooltipProps): ReactNode {
  const [isShown, setShown] = useState(false);
  const target = useRef<HTMLSpanElement>(null);
  return (
    <span ref={target} onPointerEnter={() => setShown(true)} onPointerLeave={() => setShown(false)}>
      {children}
      {isShown && <Tooltip target={target} opened label={label()} style={{ whiteSpace: 'pre' }} />}
    </span>
  );
}
