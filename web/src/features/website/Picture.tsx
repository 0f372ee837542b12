import { useEffect, useState } from "react";
import classes from "./PaymentSettings.module.css";

/** A QR image by its address or its content. */
export function Picture({ image, alt, size }: { image: string | Blob | null | undefined; alt: string; size: number }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!(image instanceof Blob)) return setUrl(undefined);
    const made = URL.createObjectURL(image);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [image]);
  const source = typeof image === "string" ? image : url;
  const style = { width: size, maxWidth: "100%", height: "auto", aspectRatio: 1 };
  if (!source)
    return (
      <div className={classes.none} style={style}>
        {image === null && "No image"}
      </div>
    );
  return <img className={classes.image} style={style} src={source} alt={alt} />;
}
