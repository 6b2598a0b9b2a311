import type { ReactNode } from 'react';
import icon from './icon.svg';

export function Logo({ size = 24 }: { size?: number }): ReactNode {
  return <img src={icon} width={size} height={size} alt="" />;
}
