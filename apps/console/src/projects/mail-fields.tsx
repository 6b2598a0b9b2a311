import type { ReactNode } from 'react';
import { TextSetting, type SectionProps } from './settings-fields';

export function MailFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <TextSetting
        form={form}
        name="defaultLocale"
        description="Language tag for emails and hosted pages if the language of a customer is not known. If empty, English is used."
        placeholder="de"
        max={35}
      />
      <TextSetting
        form={form}
        name="mail.fromName"
        description="If empty, the sender name of the installation is used."
        max={100}
      />
      <TextSetting
        form={form}
        name="mail.replyTo"
        description="Address that receives replies. If empty, the address of the sender is used."
        placeholder="help@example.com"
        max={254}
      />
    </>
  );
}
