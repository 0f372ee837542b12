import { type FedexOrder, fedex } from "@footprint/contract/fedex.ts";
import { Button, Divider, Group, Stack, Title } from "@mantine/core";
import { IconDownload, IconPencil } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { AlsoOpen } from "../../shared/AlsoOpen.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import { Addresses, Details } from "../../shared/Details.tsx";
import { Dialog } from "../../shared/Dialog.tsx";
import { downloadFile } from "../../shared/downloadFile.ts";
import { formatBytes, formatMoney, Time } from "../../shared/format.tsx";
import { notifyError } from "../../shared/notify.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import { FedexCustomer, FedexStatus } from "./FedexCells.tsx";

export function FedexDetails({
  order,
  onClose,
  onUpdate,
}: {
  order: FedexOrder;
  onClose: () => void;
  onUpdate: () => void;
}) {
  const { weight, weightUnit, length, width, height, dimensionUnit } = order;
  return (
    <Dialog
      size="lg"
      onClose={onClose}
      title={
        <Group gap="sm">
          Fedex order <FedexStatus order={order} /> <AlsoOpen id={order._id} />
        </Group>
      }
    >
      <Stack gap="lg">
        <Details
          items={[
            { title: "Order id", value: <ShortId value={order.uuid} name="order id" /> },
            { title: "Customer", value: <CustomerLink user={order.user} /> },
            { title: "User discord id", value: <FedexCustomer order={order} /> },
            { title: "Price", value: order.price === null ? "–" : formatMoney(order.price) },
            { title: "Created", value: <Time value={order.createdAt} full /> },
          ]}
        />
        <Addresses
          items={[
            { title: "Sender", address: order.from },
            { title: "Receiver", address: order.to },
          ]}
        />
        <Stack gap="xs" component="section" aria-label="Package details">
          <Title order={3} size="h5">
            Package details
          </Title>
          <Details
            items={[
              { title: "Weight", value: `${weight} ${weightUnit}` },
              { title: "Dimensions", value: `${length} x ${width} x ${height} ${dimensionUnit}` },
              { title: "Weight unit", value: weightUnit },
              { title: "Special notes", value: order.specialNotes, wide: true },
            ]}
          />
        </Stack>
        <Divider />
        <Details
          items={[
            { title: "Note", value: order.note, wide: true },
            { title: "File", value: <StoredFile order={order} />, wide: true },
          ]}
        />
        <Group justify="flex-end">
          <Button leftSection={<IconPencil size={16} aria-hidden />} onClick={onUpdate}>
            Update
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function StoredFile({ order: { _id, file } }: { order: FedexOrder }) {
  const { mutate: download, isPending: isDownloading } = useMutation({
    mutationFn: () => downloadFile(fedex.file, { params: { id: _id } }),
    onError: notifyError,
  });
  if (!file) return "–";

  return (
    <Group gap="sm">
      <span>
        {file.name} ({formatBytes(file.size)})
      </span>
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<IconDownload size={14} aria-hidden />}
        aria-label={`Download ${file.name}`}
        disabled={isDownloading}
        onClick={() => download()}
      >
        {isDownloading ? "Downloading…" : "Download"}
      </Button>
    </Group>
  );
}
